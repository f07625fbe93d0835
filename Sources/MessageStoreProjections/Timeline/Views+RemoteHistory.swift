@_spi(Storage) package import MessageStoreLog

/// A page just older than an anchor, and whether a server could add to it.
package struct LocalHistoryPage: Sendable {
    /// The page; without what lies beyond a hole.
    package let page: TimelinePage
    /// Whether loaded history proves that nothing is missing: neither within nor, where it is short, before it.
    package let isComplete: Bool
}

extension Views {
    /// The place of an anchor, as a server would understand it.
    ///
    /// - Throws: `StoreError`: `notFound` for an unknown message, `invalidArgument` for one that no server knows.
    package borrowing func remoteOrder(
        of anchor: TimelineAnchor, in conversation: ConversationKey
    ) throws -> MessageOrder {
        if case .order(let order) = anchor { return order }
        guard let number = try snapshot.symbols.number(of: conversation) else {
            throw StoreError(.notFound, "the anchor names no message of the conversation")
        }
        let bytes = try order(of: anchor, in: number)
        var isProvisional = false
        if case .message(let message) = anchor, let local = try snapshot.local(of: message, in: number) {
            isProvisional = try snapshot.messageState(of: local)?.flags.contains(.isTimeProvisional) ?? false
        }
        guard let order = MessageOrder(bytes), !isProvisional else {
            throw StoreError(.invalidArgument, "the anchor is a message whose place no server told")
        }
        return order
    }

    /// Whether nothing can be missing at the place itself: the message there is known, or there cannot be one.
    package borrowing func isClosed(_ order: MessageOrder, in conversation: ConversationKey) throws -> Bool {
        guard let id = order.id else { return true }
        guard let number = try snapshot.symbols.number(of: conversation) else { return false }
        return try snapshot.local(of: .server(id), in: number) != nil
    }

    /// Whether messages at this place and before it are not shown, because they were cleared.
    package borrowing func isCleared(_ order: MessageOrder, in conversation: ConversationKey) throws -> Bool {
        guard let number = try snapshot.symbols.number(of: conversation),
            let floor = try snapshot.floor(of: number)
        else {
            return false
        }
        return floor >= OrderKey(order)
    }

    /// The page just older than `anchor`, or the newest, as far as loaded history proves it.
    package borrowing func localHistory(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) throws -> LocalHistoryPage {
        let part: TimelinePart = anchor.map { .before(.order($0)) } ?? .latest
        let page = try timeline(of: conversation, part, limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else {
            return LocalHistoryPage(page: page, isComplete: false)
        }
        let orders = page.messages.map { message in
            message.isTimeProvisional
                ? nil : message.serverID.map { OrderKey(MessageOrder(time: message.time, id: $0)) }
        }
        let newest = anchor.map { OrderKey($0) } ?? orders.compactMap { $0 }.last
        // The newest page has no end but the server's.
        guard let newest, let range = try snapshot.range(containing: newest, in: number),
            anchor != nil || range.reachesEnd
        else {
            return LocalHistoryPage(page: page, isComplete: false)
        }
        let floor = try snapshot.floor(of: number)
        let reachesEnd = range.reachesBeginning || floor.map { $0 >= range.oldest } ?? false
        // Messages without a server's order lie where this device put them, and prove nothing.
        let proven = reachesEnd ? orders.count : orders.count { $0.map { range.contains($0) } ?? true }
        if proven == page.messages.count {
            return LocalHistoryPage(page: page, isComplete: reachesEnd || proven == limit)
        }
        guard proven > 0 else { return LocalHistoryPage(page: page, isComplete: false) }
        return LocalHistoryPage(page: try timeline(of: conversation, part, limit: proven), isComplete: false)
    }
}
