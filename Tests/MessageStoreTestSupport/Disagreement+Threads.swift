import MessageStore

extension Disagreement {
    /// Compares the threads of a conversation and their replies, page by page.
    static func checkThreads(_ views: borrowing Views, _ model: StoreModel, _ key: ConversationKey) throws {
        let expected = model.threads(in: key)
        let threads = try views.all(atMost: expected.count) { try $0.threads(in: key, after: $1, limit: 2) }
        // Without how far they are read, and what is unread then, where a reply was cut off that was the last at the time.
        let isCut = model.hasCut(in: key)
        let read = [threads, expected].map { Set($0.map { [$0.root.rawValue, "\($0.readUpTo as Any)"] }) }
        func isForgotten(_ thread: MessageThread) -> Bool {
            isCut && !read.allSatisfy { $0.contains([thread.root.rawValue, "\(thread.readUpTo as Any)"]) }
        }
        let compared = [threads, expected].map { threads in
            threads.map { thread in
                MessageThread(
                    root: thread.root, rootMessage: thread.rootMessage, replyCount: thread.replyCount,
                    lastReply: thread.lastReply, unreadCount: isForgotten(thread) ? 0 : thread.unreadCount,
                    readUpTo: isCut ? nil : thread.readUpTo)
            }
        }
        try check("threads of \(key)", compared[0], compared[1])
        for root in (0..<4).map({ ServerMessageID("s\($0)") }) {
            let replies = model.replies(to: root, in: key)
            let newest = try views.replies(to: root, in: key, limit: 3)
            try check("replies to \(root) in \(key)", newest.elements.map(\.id), Array(replies.suffix(3)))
            try check("more replies to \(root) in \(key)", newest.hasOlder, replies.count > 3)
            if let first = newest.elements.first {
                let older = try views.replies(to: root, in: key, .before(.message(.local(first.id))), limit: 1000)
                try check("older replies to \(root) in \(key)", older.elements.map(\.id), Array(replies.dropLast(3)))
                let newer = try views.replies(to: root, in: key, .after(.message(.local(first.id))), limit: 1)
                try check(
                    "newer replies to \(root) in \(key)", newer.elements.map(\.id),
                    Array(replies.suffix(3).dropFirst().prefix(1)))
            }
            let thread = try views.thread(of: root, in: key)
            try check("thread of \(root) in \(key)", thread, threads.first { $0.root == root })
        }
    }
}
