@_spi(Storage) internal import MessageStoreLog

/// Makes the keys of view rows: fixed-width big-endian numbers, so that byte order is the order wanted.
enum RowKey {
    static func number<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) }
    }

    /// The key of a row about a conversation or a user.
    static func number(_ number: some SymbolNumber) -> [UInt8] { self.number(number.rawValue) }

    /// The beginning of the keys of an index by id, in a table whose other keys are four bytes long.
    static let idIndex: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

    /// The key by which a team is found in the order of ids; the number tells those of one id apart.
    static func teamIndex(_ key: ConversationKey, _ number: ConversationNumber) -> [UInt8] {
        idIndex + Array(key.id.utf8) + self.number(number)
    }

    /// The key of a row about a user in a conversation.
    static func pair(_ conversation: ConversationNumber, _ user: UserNumber) -> [UInt8] {
        number(pairNumber(conversation, user))
    }

    /// The number whose key is that of the pair.
    static func pairNumber(_ conversation: ConversationNumber, _ user: UserNumber) -> UInt64 {
        UInt64(conversation.rawValue) << 32 | UInt64(user.rawValue)
    }

    /// The key of a message's row.
    static func message(_ local: LocalMessageID) -> [UInt8] { number(local.rawValue) }

    /// The key of a row about a message that the server named and that has not arrived.
    static func serverID(_ serverID: RawSpan, in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + serverID.copied
    }

    /// The key of a place in a conversation's order; with an empty order, the beginning of all its keys.
    static func place(_ order: OrderKey, in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + order.bytes
    }

    /// The beginning of the keys of places that have a mark; see ``TimelineMarks``.
    static func mark(_ mark: UInt32, in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + number(mark)
    }

    /// The place of a conversation in the list, in its part the latest activity first.
    static func listPlace(
        _ rank: ListRank, activity: UInt64, _ conversation: ConversationNumber
    ) -> [UInt8] {
        var key = [UInt8](repeating: rank.rawValue, count: 13)
        key.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: (~activity).bigEndian, toByteOffset: 1, as: UInt64.self)
            bytes.storeBytes(of: conversation.rawValue.bigEndian, toByteOffset: 9, as: UInt32.self)
        }
        return key
    }

    /// The beginning of the keys of one part of the list.
    static func listPart(_ rank: ListRank) -> [UInt8] { [rank.rawValue] }

    /// The key of the unread messages of all conversations of a kind and level, archived or not, that are not muted for a time.
    static func unreadTotal(kind: UInt8, _ level: NotificationLevel, isArchived: Bool) -> [UInt8] {
        [kind, level.rawValue, isArchived ? 1 : 0]
    }

    /// The length of the keys of totals, in the table that also tells which conversations are muted for a time.
    static let unreadTotalLength = 3

    /// The key that tells that a conversation is muted until a time; without a conversation, the first that may follow a time.
    static func muteLimit(_ until: UInt64, _ conversation: ConversationNumber? = nil) -> [UInt8] {
        [0xFF] + number(until) + (conversation.map { number($0) } ?? [])
    }

    /// The key of a value by which a conversation is found; the numbers of the conversations follow.
    static func index(_ key: ConversationIndexKey) -> [UInt8] { [key.kind.rawValue] + number(key.value) }

    /// The beginning of the keys of one kind of what is kept beside the message that the server calls `serverID`.
    static func detail(_ kind: DetailKind, of serverID: [UInt8], in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + [UInt8(clamping: serverID.count)] + serverID + [kind.rawValue]
    }

    /// The key of a line that this device put into a conversation.
    static func deviceLine(_ line: LocalMessageID, in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + message(line)
    }

    /// A key after all places of a conversation.
    static func end(of conversation: ConversationNumber) -> [UInt8] {
        conversation.rawValue == .max ? [UInt8](repeating: 0xFF, count: 20) : number(conversation.rawValue + 1)
    }
}
