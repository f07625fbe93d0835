@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The order up to which this account has read a conversation; empty where it has read nothing.
    borrowing func readMarker(of conversation: ConversationNumber) throws -> OrderKey {
        let row: UnreadRow? = try decoded(.unread, at: conversation)
        return row?.readUpTo ?? .belowAll
    }

    borrowing func unreadTotal(_ key: [UInt8]) throws -> UnreadTotal {
        try decoded(.unreadTotals, key.span.bytes) ?? UnreadTotal()
    }
}
