@_spi(Storage) internal import MessageStoreLog

/// What a table's keys and rows are made of.
struct RowKind {
    /// The parts of the key as the document of the format has them.
    let key: String
    let row: any ViewRow.Type
    /// The parts of a stored key; nil for bytes that are no such key.
    let keyTexts: @Sendable (RawSpan) -> [RowPartText]?

    init(_ key: [KeyPart], _ row: any ViewRow.Type) {
        self.key = key.map(\.description).joined(separator: ", ")
        self.row = row
        keyTexts = { key.texts(of: $0) }
    }

    init<Key: ViewKey>(_ form: Key, _ row: any ViewRow.Type) {
        key = form.layout.description
        self.row = row
        keyTexts = { Key.texts(of: $0) }
    }
}

extension ViewTable {
    /// What the rows are made of; where there are several kinds, the key tells which.
    var rowKinds: [RowKind] {
        switch self {
        case .identities: [RowKind([.bytes("identity")], NumberRow.self)]
        case .messageStates: [RowKind([.local], MessageState.self)]
        case .parkedStates: [RowKind([.conversation, .serverID], MessageState.self)]
        case .outbox: [RowKind([.local], OutboxRow.self)]
        case .receiptMarks: [RowKind([.conversation, .number("member", bytes: 4, .user)], ReceiptMark.self)]
        case .timeline: [RowKind([.conversation, .order("order")], TimelineRow.self)]
        case .timelineFloors: [RowKind([.conversation], OrderRow.self)]
        case .timelineRanges: [RowKind([.conversation, .order("newest")], TimelineRange.self)]
        case .timelineHeads: [RowKind([.conversation], TimelineHead.self)]
        case .conversations: [RowKind([.conversation], ConversationRow.self)]
        case .conversationInfo: [RowKind([.conversation], ConversationInfo.self)]
        case .conversationOrder:
            [
                RowKind(
                    [.number("rank", bytes: 1), .number("invertedActivity", bytes: 8), .conversation], NoValue.self)
            ]
        case .unread:
            [RowKind([.conversation], UnreadRow.self), RowKind([.conversation, .serverID], OrderRow.self)]
        case .unreadTotals:
            [
                RowKind(
                    [
                        .number("kind", bytes: 1, .kind), .number("level", bytes: 1, .level),
                        .number("isArchived", bytes: 1),
                    ],
                    UnreadTotal.self),
                RowKind(
                    [.number("index", bytes: 1), .number("mutedUntil", bytes: 8, .time), .conversation], NoValue.self),
            ]
        case .members: [RowKind([.conversation, .number("user", bytes: 4, .user)], MemberRow.self)]
        case .memberLists: [RowKind([.conversation], MemberList.self)]
        case .conversationIndex:
            [RowKind([.number("kind", bytes: 1), .number("value", bytes: 8), .conversation], NoValue.self)]
        default: rareRowKinds
        }
    }

    private var rareRowKinds: [RowKind] {
        switch self {
        case .chatRooms: ChatRooms.rooms.kinds
        case .chatRoomEntries: ChatRooms.entries.kinds
        case .profiles:
            [ProfileRow.self, NumberRow.self].map { RowKind([Self.user], $0) } + [
                RowKind(Self.index([Self.id]), NoValue.self)
            ]
        case .teams:
            [TeamRow.self, NumberRow.self].map { RowKind([.conversation], $0) }
                + [RowKind(Self.index([.string("id", isPersonal: false, leaving: 4), .conversation]), NoValue.self)]
        case .contacts:
            [
                RowKind([Self.user], ContactRow.self),
                RowKind(Self.index([.number("kind", bytes: 1), Self.id]), NoValue.self),
            ]
        case .timelineEvents: TimelineEvents.events.kinds
        case .messageMarks: MessageMarks.marks.kinds
        case .markedMessages: MessageMarks.marked.kinds
        case .replies: [RowKind([.conversation, .number("firstReply", bytes: 8), .order("order")], TimelineRow.self)]
        case .messageEdits: MessageEdits.edits.kinds
        case .localFiles: LocalFiles.totals.kinds + LocalFiles.files.kinds
        case .localFileOrder: LocalFiles.order.kinds
        case .threads:
            [
                RowKind([.conversation, .number("kind", bytes: 1), .serverID], ThreadRow.self),
                RowKind([.conversation, .number("kind", bytes: 1), .order("lastReply")], ThreadRoot.self),
            ]
        case .syncState: [RowKind([.number("key", bytes: 1)], SyncRow.self)]
        case .syncCursors: [RowKind([.string("name", isPersonal: false)], HostValue.self)]
        case .unknownEvents: [RowKind([.number("type", bytes: 2)], NumberRow.self)]
        case .messageDetails: DetailKind.allCases.map(\.rowKind)
        case .owedReceipts: [RowKind([.conversation, .order("order")], NumberRow.self)]
        case .parkedReceipts: [RowKind([.conversation, .serverID], ReceiptFacts.self)]
        case .deletedMessages: [RowKind([.conversation, .order("order")], NumberRow.self)]
        case .deviceLines: [RowKind([.conversation, .local], NoValue.self)]
        case .settingTimes:
            [RowKind([.conversation, .number("setting", bytes: 1, .setting)], SettingRow.self)]
                + [
                    RowKind(
                        [.conversation, .number("setting", bytes: 1, .setting), .string("tag", isPersonal: true)],
                        SettingRow.self
                    )
                ]
                + [
                    RowKind(
                        [.conversation, .number("setting", bytes: 1, .setting), .number("user", bytes: 4, .user)],
                        SettingRow.self
                    )
                ]
        case .pendingChanges: PendingChanges.changes.kinds
        case .timelineMarks:
            [RowKind([.conversation, .number("mark", bytes: 4, .contentType), .order("order")], TimelineRow.self)]
        default: []
        }
    }

    private static let user = KeyPart.number("user", bytes: 4, .user)
    private static let id = KeyPart.string("id", isPersonal: false)

    /// The key of a row of an index by id, whose first four bytes are no number of a user or conversation.
    private static func index(_ parts: [KeyPart]) -> [KeyPart] { [.number("index", bytes: 4)] + parts }

    /// What the row of a key is made of; nil for a key that is none of the table's.
    func rowKind(at key: RawSpan) -> RowKind? {
        switch self {
        case .profiles, .teams, .contacts:
            if key.byteCount > RowKey.idIndex.count { return rowKinds.last }
            guard self != .contacts else { return rowKinds.first }
            // Row 0 tells of all users or teams.
            return rowKinds[key.loadBigEndian(at: 0, as: UInt32.self) == 0 ? 1 : 0]
        case .unread: return rowKinds[key.byteCount == MemoryLayout<ConversationNumber>.size ? 0 : 1]
        case .unreadTotals: return rowKinds[key.byteCount == RowKey.unreadTotalLength ? 0 : 1]
        case .settingTimes:
            let setting = key.load(at: 4, as: UInt8.self) ?? 0
            return rowKinds[setting == 5 || setting == 9 ? 1 : setting == 6 || setting == 7 ? 2 : 0]
        case .threads: return rowKinds[key.load(at: 4, as: UInt8.self) == 0 ? 0 : 1]
        case .localFiles: return rowKinds[key.byteCount == MemoryLayout<ConversationNumber>.size ? 0 : 1]
        case .messageDetails:
            let kindOffset = 5 + Int(key.load(at: 4, as: UInt8.self) ?? 0)
            return key.load(at: kindOffset, as: UInt8.self).flatMap { DetailKind(rawValue: $0) }?.rowKind
        default:
            return rowKinds.first
        }
    }
}

extension DetailKind {
    var rowKind: RowKind {
        let prefix: [KeyPart] = [.conversation, .countedServerID, .number("kind", bytes: 1)]
        return switch self {
        case .reaction:
            RowKind(
                prefix + [.string("reaction", isPersonal: true, leaving: 4), .number("user", bytes: 4, .user)],
                ReactionRow.self)
        case .metadata:
            RowKind(prefix + [.string("key", isPersonal: true)], LatestValue<PairValue>.self)
        case .receipt: RowKind(prefix + [.number("member", bytes: 4, .user)], ReceiptTimes.self)
        case .readCounts: RowKind(prefix, LatestValue<ReadCountsValue>.self)
        case .receiptFacts: RowKind(prefix, ReceiptFacts.self)
        case .reactionSet: RowKind(prefix, LatestValue<NoValue>.self)
        case .deliveredCount: RowKind(prefix, CountValue.self)
        case .receiptsSent: RowKind(prefix, NumberRow.self)
        }
    }
}

/// A row that is nothing but its key.
struct NoValue: ViewRow {
    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {}
}

/// A row that is a value of the host's, whatever it is.
struct HostValue: ViewRow {
    var value: [UInt8] = []

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.rest("value", &value)
    }
}
