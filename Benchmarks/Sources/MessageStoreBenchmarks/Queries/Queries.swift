internal import MessageStore

/// Every query, on the busiest conversation and on one in the middle.
struct Queries {
    private let store: MessageStore
    private let busy: Conversation
    private let quiet: Conversation
    private let anchor: Message
    private let deep: Message
    private let picture: TimelinePart
    /// A message that others reply to, and one that was edited.
    private let root: ServerMessageID
    private let edited: MessageReference

    init(_ store: MessageStore) throws {
        self.store = store
        let all = try store.read { views in try views.conversations(limit: 1000).elements }
        guard let first = all.first, let middle = all.dropFirst(all.count / 2).first else {
            throw Failure("the store has too few conversations to ask for")
        }
        // The busiest of the first page is the one whose timeline goes back the longest.
        var busiest = (conversation: first, count: 0)
        for conversation in all.prefix(50) {
            let count = try store.read { try $0.timeline(of: conversation.key, limit: 1000).elements.count }
            if count > busiest.count { busiest = (conversation, count) }
        }
        busy = busiest.conversation
        quiet = middle
        let key = busy.key
        let page = try store.read { try $0.timeline(of: key, limit: 1000).elements }
        guard let oldest = page.first, let newest = page.last else {
            throw Failure("the busiest conversation is empty")
        }
        // An own message would ask for the account's conversations, which are all.
        (anchor, deep) = (page.last { $0.sender != store.account } ?? newest, oldest)
        root = page.last { $0.context.replyTo != nil }?.context.replyTo ?? "none"
        edited = .local((page.last { $0.isModified } ?? newest).id)
        picture = try store.read {
            try $0.media(in: key, limit: 20).elements.first.map { .around(.message(.local($0.id))) } ?? .latest
        }
    }

    static let names = [
        "conversation list, first 50", "conversation list, groups, 50", "conversation", "unread totals",
        "unread of one",
        "timeline, newest 20", "timeline, 20 before the 1,000th", "timeline, 20 around", "timeline, 20 pictures",
        "media around a picture", "mentions, 20", "first unread", "message by local id", "message by server id",
        "reactions", "receipts", "owed receipts", "profile", "members", "is member", "by name", "by attribute",
        "by a number", "above a number, 10", "above a number, sorted, 10", "above a number, count",
        "by all of two members", "by exact members", "by tag", "outbox", "pending changes", "sync progress",
        "conversation list, archive", "folder, first 10", "unread totals of a folder", "who joined among 20",
        "pinned, 20", "starred, 20", "threads, 20", "replies, 20", "versions of a message", "largest files, 20",
        "totals of files",
    ]

    /// Holds for a hundredth of the conversations, which the index of numbers finds.
    static let isHigh = ConversationCondition.attribute("level", .greaterOrEqual(990))

    private func run(_ name: String, _ views: borrowing Views) throws {
        let key = busy.key
        let peers = Array(anchor.sender == store.account ? [anchor.sender] : [anchor.sender, store.account])
        switch name {
        case "conversation list, first 50": _ = try views.conversations(limit: 50)
        case "conversation list, groups, 50": _ = try views.conversations(kinds: [.group], limit: 50)
        case "conversation": _ = try views.conversation(quiet.key)
        case "unread totals": _ = try views.unreadTotals()
        case "unread of one": _ = try views.unread(of: key)
        case "timeline, newest 20": _ = try views.timeline(of: key)
        case "timeline, 20 before the 1,000th": _ = try views.timeline(of: key, .before(.message(.local(deep.id))))
        case "timeline, 20 around": _ = try views.timeline(of: key, .around(.message(.local(deep.id))))
        case "timeline, 20 pictures": _ = try views.timeline(of: key, types: [.image])
        case "media around a picture": _ = try views.media(in: key, picture, limit: 20)
        case "mentions, 20": _ = try views.mentions(in: key, limit: 20)
        case "first unread": _ = try views.firstUnread(in: key)
        case "message by local id": _ = try views.message(anchor.id)
        case "message by server id": if let id = anchor.serverID { _ = try views.message(.server(id), in: key) }
        case "reactions": _ = try views.reactions(to: .local(anchor.id), in: key)
        case "receipts": _ = try views.receipts(of: .local(anchor.id), in: key)
        case "owed receipts": _ = try views.owedReceipts(in: key)
        case "profile": _ = try views.profile(anchor.sender)
        case "members": _ = try views.members(in: quiet.key)
        case "is member": _ = try views.isMember(anchor.sender, in: key)
        case "by name":
            _ = try views.conversations(matching: ConversationQuery(.name(.equal(.string(busy.name ?? "")))))
        case "by attribute":
            _ = try views.conversations(matching: ConversationQuery(.attribute("topic", .equal("7"))), limit: 10)
        case "by a number":
            _ = try views.conversations(matching: ConversationQuery(.attribute("level", .equal(7))), limit: 10)
        case "above a number, 10":
            _ = try views.conversations(matching: ConversationQuery(Self.isHigh), limit: 10)
        case "above a number, sorted, 10":
            let order = [ConversationOrder.ascending(.attribute("level"))]
            _ = try views.conversations(matching: ConversationQuery(Self.isHigh, order: order), limit: 10)
        case "above a number, count": _ = try views.conversationCount(matching: ConversationQuery(Self.isHigh))
        case "by all of two members":
            _ = try views.conversations(matching: ConversationQuery(.containsAll(peers)), limit: 10)
        case "by exact members": _ = try views.conversations(matching: ConversationQuery(.exactMembers(peers)))
        case "by tag": _ = try views.conversations(tagged: "work", limit: 50)
        case "outbox": _ = try views.outbox()
        case "pending changes": _ = try views.pendingChanges()
        case "sync progress": _ = try views.syncProgress()
        default: try runOther(name, key, views)
        }
    }

    private func runOther(_ name: String, _ key: ConversationKey, _ views: borrowing Views) throws {
        switch name {
        case "conversation list, archive": _ = try views.conversations(archived: .only, limit: 50)
        case "folder, first 10": _ = try views.conversations(inFolder: "high", limit: 10)
        case "unread totals of a folder": _ = try views.unreadTotals(inFolder: "high")
        case "who joined among 20": _ = try views.timelineEvents(on: views.timeline(of: key), in: key)
        case "pinned, 20": _ = try views.pinnedMessages(in: key, limit: 20)
        case "starred, 20": _ = try views.starredMessages(limit: 20)
        case "threads, 20": _ = try views.threads(in: key, limit: 20)
        case "replies, 20": _ = try views.replies(to: root, in: key, limit: 20)
        case "versions of a message": _ = try views.edits(of: edited, in: key, limit: 50)
        case "largest files, 20": _ = try views.localFiles(limit: 20)
        case "totals of files": _ = try views.localFileTotals()
        default: throw Failure("no query is called \(name)")
        }
    }

    /// The median of 200 runs of each query, a read of its own each.
    func times() throws -> [String: Duration] {
        var times: [String: Duration] = [:]
        for name in Self.names {
            var runs: [Duration] = []
            for _ in 0..<200 {
                let start = ContinuousClock.now
                try store.read { try run(name, $0) }
                runs.append(start.duration(to: .now))
            }
            times[name] = runs.sorted()[runs.count / 2]
        }
        return times
    }

    /// Runs each query once warm and once counted.
    func count() throws {
        for name in Self.names {
            try store.read { try run(name, $0) }
            Callgrind.zero()
            try store.read { try run(name, $0) }
            Callgrind.dump(name)
        }
    }
}
