/// The bytes of a table that can be read without a key. `Docs/Format.md` and `Docs/Security.md` say so; the sources are not
/// asked.
enum TableForm: Sendable {
    /// All bytes, and the reason why they may.
    case clear(String)
    /// The first bytes of each value, and of each stored key as many as the function says; nil for a whole key.
    case sealed(clearValue: Int = 0, clearKey: @Sendable ([UInt8]) -> Int?)

    /// A sealed value ends with two numbers of four bytes, and the tag.
    static let (numbersSize, tagSize) = (8, 16)
    /// A keyed hash in the place of the hidden rest of a key.
    static let hashSize = 16

    static let log: [String: TableForm] = [
        "records": .sealed(clearValue: 64) { _ in nil },
        "symbolNames": .sealed(clearValue: 8) { _ in nil },
        "symbolNumbers": .sealed { _ in 1 },
        "subscriptions": .sealed { _ in 0 },
        "owed": .clear("how many bytes were erased, positions and times"),
        "gaps": .clear("positions"),
        "cutIdentities": .clear("hashes of ids"),
        "openings": openings,
    ]

    static let lagging: [String: TableForm] = [
        "about": .clear("versions, the store's id, positions and times"),
        "rows": .sealed { _ in 5 },
        "openings": openings,
    ]

    static let views: [String: TableForm] = Dictionary(
        sealedViews.map { ($0, $1) } + clearViews.map { ($0, .clear($1)) } + [("openings", openings)],
        uniquingKeysWith: { first, _ in first })

    private static let openings = TableForm.clear("random bytes, and a code")

    private static let sealedViews: [(String, TableForm)] = [
        ("conversationInfo", .sealed { _ in nil }),
        ("members", .sealed { _ in nil }),
        ("meta", .sealed { _ in nil }),
        ("profiles", .sealed { $0.count == 4 ? nil : 4 }),
        ("teams", .sealed { $0.count == 4 ? nil : 4 }),
        ("chatRoomEntries", .sealed { _ in 4 }),
        ("contacts", .sealed { $0.count == 4 ? nil : 5 }),
        ("settingTimes", .sealed { $0.count == 5 ? nil : 5 }),
        ("conversationIndex", .sealed { [1, 2, 4].contains($0[0]) ? nil : 1 }),
        ("messageDetails", .sealed(clearKey: clearDetailKey)),
        ("conversationNumbers", .sealed { _ in 0 }),
        ("syncCursors", .sealed { _ in 0 }),
    ]

    /// A conversation, the length of a server's id, the id or a local id, and a kind: reactions and pairs are hidden.
    private static let clearDetailKey: @Sendable ([UInt8]) -> Int? = { key in
        let length = Int(key[4]) == 0 ? 8 : Int(key[4])
        guard key.count > 5 + length else { return 0 }
        return key[5 + length] <= 2 ? 6 + length : nil
    }

    private static let orders = "times and ids that a server gave, numbers"
    private static let numbers = "numbers, counts, flags and times"

    private static let clearViews: [(String, String)] = [
        ("identities", "hashes of ids, positions"), ("identityRuns", "hashes of ids, positions"),
        ("messageStates", orders), ("parkedStates", orders), ("outbox", numbers), ("receiptMarks", numbers),
        ("timeline", orders), ("timelineFloors", orders), ("timelineRanges", orders), ("timelineHeads", orders),
        ("timelineWaits", orders), ("conversations", orders), ("conversationOrder", numbers), ("unread", orders),
        ("unreadTotals", numbers), ("memberLists", numbers), ("chatRooms", numbers), ("chatRoomReturns", orders),
        ("syncState", numbers), ("unknownEvents", numbers), ("owedReceipts", orders), ("markedMessages", orders),
        ("pendingChanges", numbers), ("timelineMarks", orders), ("deletedMessages", orders),
        ("localFileOrder", orders), ("localFileTotals", numbers), ("timelineEvents", numbers), ("replies", orders),
        ("threads", orders), ("deviceLines", numbers), ("timers", numbers),
    ]

    /// The form of a table of the views: a host's has a slash in its name, and nothing of it is clear.
    static func ofViews(_ name: String) -> TableForm? { views[name] ?? (name.contains("/") ? hosts : nil) }

    private static let hosts = TableForm.sealed { _ in 0 }
}

extension TableForm {
    /// The parts of a row that nobody may be able to read.
    struct HiddenParts {
        var key: ArraySlice<UInt8> = []
        var value: ArraySlice<UInt8> = []
        /// Whether the lengths are those of a sealed row.
        var isWhole = true
    }

    /// The hidden parts of a stored row, as far as it has them; nil in a clear table.
    func hiddenParts(of row: RawEnvironment.Row) -> HiddenParts? {
        guard case .sealed(let clearValue, let clearKey) = self else { return nil }
        var parts = HiddenParts()
        if let clear = clearKey(row.key) {
            parts.key = row.key.dropFirst(clear)
            parts.isWhole = parts.key.isEmpty || parts.key.count == Self.hashSize
        }
        let rest = row.value.dropFirst(clearValue)
        guard rest.count >= Self.numbersSize + Self.tagSize else {
            return HiddenParts(key: parts.key, value: rest, isWhole: false)
        }
        let end = rest.endIndex - Self.numbersSize - Self.tagSize
        parts.value = rest[..<end] + rest[(end + Self.numbersSize)...]
        return parts
    }
}
