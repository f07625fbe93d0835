internal import Foundation

/// An answer of a Matrix server, read so that one person's event takes away nothing of others'.
///
/// A list or object that is nested deeper than 60 levels is null. Half of a surrogate pair, and bytes that are no UTF-8,
/// are U+FFFD in texts and names; an event with one of them in an id is null, as is a room, or a receipt of such an event
/// or user.
public struct MatrixJSON: Sendable {
    /// The answer.
    public let value: JSONValue
    /// How many halves of characters were replaced, those in ids included.
    public let replaced: Int

    /// Levels of nesting that are kept.
    private static let deepest = 60

    /// Reads an answer. Costs one pass over its bytes besides the decoding.
    ///
    /// - Throws: `DecodingError` where it is no JSON.
    public init(_ bytes: some Sequence<UInt8>) throws {
        let json = RepairedJSON(Self.cut(bytes), repairsBytes: true)
        // A decoder that meets NUL among the first bytes would take the answer for UTF-16 or UTF-32.
        guard !json.bytes.prefix(4).contains(0) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "NUL"))
        }
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(json.bytes))
        self.value = json.mark.map { MarkedJSON(mark: $0).settled(value, levelsOfIDs: 0) } ?? value
        replaced = json.count
    }

    /// JSON with `null` for each list and object that is nested deeper; a decoder refuses the whole for one of them.
    private static func cut(_ json: some Sequence<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(json.underestimatedCount)
        var depth = 0
        var (isInString, isEscaped) = (false, false)
        for byte in json {
            var isKept = depth <= deepest
            if isInString {
                if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    isKept = depth <= deepest
                    if depth == deepest + 1 { kept += "null".utf8 }
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
            if isKept { kept.append(byte) }
        }
        return kept
    }
}

/// The reading of a value in which a mark replaces halves of characters.
private struct MarkedJSON {
    /// The members whose values are ids, or lists of them.
    private static let ids: Set<String> = [
        "event_id", "sender", "state_key", "redacts", "transaction_id", "creator", "user_ids", "room_id",
        "replacement_room", "next_batch",
    ]
    /// The members whose members' names are ids, by the levels of them.
    private static let levels = ["join": 1, "invite": 1, "leave": 1, "knock": 1, "users": 1]

    let mark: Unicode.Scalar

    /// The value with U+FFFD in texts and names, and without what has a mark in an id.
    ///
    /// - Parameter levelsOfIDs: How many levels of objects have ids as names.
    func settled(_ value: JSONValue, levelsOfIDs: Int) -> JSONValue {
        switch value {
        case .string(let text): return .string(text.replacing(mark))
        case .array(let values): return .array(values.map { settled($0, levelsOfIDs: 0) })
        case .object(let members):
            if members.contains(where: { Self.ids.contains($0.key) && isMarked($0.value) }) { return .null }
            if isEvent(value), hasMarkedID(members["content"]) { return .null }
            var settled: [String: JSONValue] = [:]
            for (name, value) in members {
                let isCut = levelsOfIDs > 0 && name.has(mark)
                let inner = name == "content" ? levels(of: members["type"]) : Self.levels[name] ?? levelsOfIDs - 1
                settled[name.replacing(mark)] = isCut ? .null : self.settled(value, levelsOfIDs: inner)
            }
            return .object(settled)
        default: return value
        }
    }

    /// Receipts name events, kinds and users; direct rooms are those of users.
    private func levels(of type: JSONValue?) -> Int { ["m.receipt": 3, "m.direct": 1][type?.string ?? ""] ?? 0 }

    private func isEvent(_ value: JSONValue) -> Bool { value["type"]?.string != nil && value["content"] != nil }

    /// Whether an event's content refers to something by an id with a mark; events inside it are their own.
    private func hasMarkedID(_ value: JSONValue?) -> Bool {
        switch value {
        case .array(let values): values.contains(where: hasMarkedID)
        case .object(let members) where !isEvent(value ?? .null):
            members.contains { name, value in Self.ids.contains(name) && isMarked(value) || hasMarkedID(value) }
        default: false
        }
    }

    private func isMarked(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.has(mark)
        case .array(let values): values.contains(where: isMarked)
        default: false
        }
    }
}
