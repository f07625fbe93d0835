@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The order up to which this account has read a conversation; empty where it has read nothing.
    borrowing func readMarker(of conversation: ConversationNumber) throws -> OrderKey {
        try unreadRow(of: conversation).readUpTo
    }

    /// The same; nil where the rows that hold it are being rebuilt, or are none of those that a host's projection reads.
    borrowing func knownReadMarker(of conversation: ConversationNumber) throws -> OrderKey? {
        isAvailable(.unread) ? try readMarker(of: conversation) : nil
    }

    borrowing func unreadRow(of conversation: ConversationNumber) throws -> UnreadRow {
        try decoded(.unread, at: conversation) ?? UnreadRow()
    }

    borrowing func unreadTotal(_ key: [UInt8]) throws -> UnreadTotal {
        try decoded(.unreadTotals, key.span.bytes) ?? UnreadTotal()
    }
}
