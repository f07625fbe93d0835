@_spi(Storage) internal import MessageStoreLog

/// A row of `threads` at the place of a thread's last reply: the message that the thread is about.
struct ThreadRoot: ViewRow {
    var root: [UInt8] = []

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.rest("root", &root, .serverID)
    }
}

extension RowKey {
    /// The beginning of the keys of the replies to a message; their places follow.
    static func replies(to root: [UInt8], in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + [UInt8(clamping: root.count)] + root
    }

    /// The key of how far a thread was read.
    static func threadMarker(of root: [UInt8], in conversation: ConversationNumber) -> [UInt8] {
        number(conversation) + [0] + root
    }

    /// The beginning of the keys of a conversation's threads; the places of their last replies follow.
    static func threads(of conversation: ConversationNumber) -> [UInt8] { number(conversation) + [1] }
}

extension ViewSnapshot {
    /// The place of the last reply to a message that was not recalled. Costs a step for each recalled one behind it.
    borrowing func lastReply(to root: [UInt8], in conversation: ConversationNumber) throws -> OrderKey? {
        try lastReply(to: root, in: conversation, below: .aboveAll) { !$0.flags.contains(.isRecalled) }
    }

    /// The place of the last reply to a message whose time a server told.
    borrowing func lastToldReply(to root: [UInt8], in conversation: ConversationNumber) throws -> OrderKey? {
        try lastReply(to: root, in: conversation, below: OrderKey(unsent: LocalMessageID(0))) {
            !$0.flags.contains(.isTimeProvisional)
        }
    }

    private borrowing func lastReply(
        to root: [UInt8], in conversation: ConversationNumber, below order: OrderKey,
        where isWanted: (TimelineRow) -> Bool
    ) throws -> OrderKey? {
        let prefix = RowKey.replies(to: root, in: conversation)
        let end = prefix + order.bytes
        var cursor = try rowsBackwards(.replies, before: end.span.bytes)
        while try cursor.next(), let place = cursor.key.removing(prefix) {
            let row: TimelineRow = try cursor.decoded()
            if isWanted(row) { return OrderKey(place) }
        }
        return nil
    }

    /// The place up to which a thread was read, by its own marker; empty where there is none.
    borrowing func threadMarker(of root: [UInt8], in conversation: ConversationNumber) throws -> OrderKey {
        let row: OrderRow? = try decoded(.threads, RowKey.threadMarker(of: root, in: conversation).span.bytes)
        return row?.order ?? .belowAll
    }
}
