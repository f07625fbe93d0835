package import MessageStore

extension StoreModel {
    mutating func readThread(_ read: ThreadRead, _ key: ConversationKey) {
        // All that is known: what is not hidden and has a place that a server told.
        let known = messages.values.filter {
            $0.conversation == key && !$0.isGone && $0.serverTime != nil && root(of: $0) == read.root
        }
        let told = read.upTo.map { Order($0) }
        let named = told.flatMap { placeForReading($0, in: key) }
        let isAll = told == nil || named?.isAhead == true && log.last?.origin == .local
        let place = named?.readingOrder ?? told?.capped(at: latestTime)
        let latestTime = latestTime
        let isAhead: (MessageEntry) -> Bool = { $0.order.time > latestTime || $0.isFromFuture }
        let order = isAll ? known.filter { !isAhead($0) }.map(\.order).max() : place
        let thread = ServerKey(conversation: key, id: read.root)
        threadMarkers[thread, default: nil].raise(to: order)
        if isAll, known.contains(where: isAhead) { threadAheadRead[thread] = UInt64(log.count) }
    }

    /// The replies to a message, oldest first.
    package func replies(to root: ServerMessageID, in key: ConversationKey) -> [LocalMessageID] {
        visible(in: key).filter { self.root(of: $0) == root }.map { LocalMessageID($0.local) }
    }

    /// The threads of a conversation, the one with the latest reply first.
    package func threads(in key: ConversationKey) -> [MessageThread] {
        let replies = visible(in: key).filter { root(of: $0) != nil && !$0.facts.isRecalled }
        let threads = Dictionary(grouping: replies) { root(of: $0) ?? "" }
        return threads.compactMap { root, replies -> (MessageThread, Order)? in
            guard let last = replies.last else { return nil }
            let key = ServerKey(conversation: key, id: root)
            let (marker, aheadRead) = (threadMarkers[key] ?? nil, threadAheadRead[key] ?? 0)
            let unread = replies.filter { reply in
                guard isUnread(reply) else { return false }
                return reply.isFromFuture
                    ? reply.local > aheadRead && marker.isBelow(reply.readingOrder) : marker.isBelow(reply.order)
            }
            let thread = MessageThread(
                root: root, rootMessage: message(.server(root), in: key.conversation), replyCount: replies.count,
                lastReply: shown(last), unreadCount: unread.count,
                readUpTo: marker?.shown)
            return (thread, last.order)
        }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// The message to which another replies.
    private func root(of message: MessageEntry) -> ServerMessageID? {
        switch log[Int(message.local) - 1].payload {
        case let body as MessageReceived: body.context.replyTo
        case let body as MessageSendQueued: body.context.replyTo
        default: nil
        }
    }
}
