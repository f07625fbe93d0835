@_spi(Storage) internal import MessageStoreLog

/// Makes the keys of view rows: fixed-width big-endian numbers, so that byte order is the order wanted.
enum RowKey {
    static func number<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) }
    }

    /// The key of what is told of a conversation or a user.
    static func number(_ number: some SymbolNumber) -> [UInt8] { self.number(number.rawValue) }

    /// The key of what is told of a user in a conversation.
    static func pair(_ conversation: ConversationNumber, _ user: UserNumber) -> [UInt8] {
        number(pairNumber(conversation, user))
    }

    /// The number whose key is that of the pair.
    static func pairNumber(_ conversation: ConversationNumber, _ user: UserNumber) -> UInt64 {
        UInt64(conversation.rawValue) << 32 | UInt64(user.rawValue)
    }

    /// The key of a message's row.
    static func message(_ local: LocalMessageID) -> [UInt8] { number(local.rawValue) }

    /// The key of what is told of a message of the server's that has not come.
    static func serverID(_ serverID: RawSpan, in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + serverID.copied
    }

    /// The key of a place in a conversation's order; with an empty order, the beginning of all its keys.
    static func place(_ order: OrderKey, in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + order.bytes
    }

    /// A key after all places of a conversation.
    static func end(of conversation: ConversationNumber) -> [UInt8] {
        conversation.rawValue == .max ? [UInt8](repeating: 0xFF, count: 20) : number(conversation.rawValue + 1)
    }
}
