internal import MessageStore
internal import MessageStoreWorkload

/// MessageStore as a client uses it.
final class StorePeer: SyncPeer {
    let store: MessageStore
    private let backlog: Backlog
    private let path: String
    private(set) var packages: [OfflinePackage] = []
    private var number: UInt32 = 0
    private let acknowledgement: Acknowledgement

    init(
        at path: String, _ backlog: Backlog, configuration: MessageStore.Configuration = .init(),
        acknowledgement: Acknowledgement = .durable
    ) throws {
        self.acknowledgement = acknowledgement
        self.backlog = backlog
        self.path = path
        store = try backlog.openStore(at: path, configuration)
    }

    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) {
        self.packages = packages.enumerated().map { index, events in
            number += 1
            return OfflinePackage(
                index: number, events: events.map { backlog.storeEvent($0) },
                hasMore: hasMore || index + 1 < packages.count)
        }
    }

    /// Records names and members of the conversations, and the profiles of the users, of a generated backlog.
    func describe(_ directory: WorkloadDirectory) throws {
        for first in stride(from: 0, to: directory.conversations, by: 500) {
            let last = min(first + 500, directory.conversations)
            try store.record((first..<last).map { directory.creation(ofConversation: $0) })
        }
        for first in stride(from: 0, to: directory.users, by: 100) {
            try store.record(directory.profiles(of: first..<min(first + 100, directory.users)))
        }
    }

    func ingest(_ package: Int) throws { try store.ingest(packages[package], acknowledgement: acknowledgement) }

    /// The messages' words leave the log as well.
    func erase(_ erasure: Erasure) throws {
        let key = backlog.conversations[Int(erasure.conversation)]
        let place = MessageOrder(
            time: Timestamp(milliseconds: erasure.place.timeMs), id: ServerMessageID(erasure.place.id))
        try store.record(
            erasure.deletesConversation
                ? Event(ConversationDeleted(alsoMessages: true, erases: true), in: key)
                : Event(HistoryCleared(upTo: place, erases: true), in: key))
    }

    func readViews() throws {
        try store.waitUntilDurable()
        _ = try store.read { views in
            (try views.conversations(limit: 50), try views.unreadTotals(includesMuted: true))
        }
    }

    func flush() throws { try store.flush() }

    /// The store's own notes of received packages do not count.
    func keptEvents() throws -> Int? {
        var count = 0
        try store.forEachEvent { recorded in
            if recorded.event.type != .offlinePackageReceived { count += 1 }
            return true
        }
        return count
    }

    func commits() throws -> Int? {
        try RawEnvironment.lastTransaction(path + "/log") + RawEnvironment.lastTransaction(path + "/views")
    }

    func close() throws { try store.close() }

    /// Reads every conversation and every message by pages of the public queries, and checks the totals against them.
    func digest() throws -> ViewDigest? {
        try store.read { views in
            var digest = ViewDigest()
            var cursor: PageCursor?
            repeat {
                let page = try views.conversations(after: cursor, limit: 1000)
                for conversation in page.elements { try Self.add(conversation, to: &digest, views) }
                cursor = page.next
            } while cursor != nil
            guard try views.unreadTotals(includesMuted: true).messages == digest.unread else {
                throw Failure("the unread total is not the sum of the conversations' counts")
            }
            return digest
        }
    }

    private static func add(
        _ conversation: Conversation, to digest: inout ViewDigest, _ views: borrowing Views
    ) throws {
        guard let last = conversation.lastMessage else { return }
        var count = 0
        var part = TimelinePart.latest
        var newest = ""
        while true {
            let page = try views.timeline(of: conversation.key, part, limit: 1000)
            for message in page.elements {
                guard let id = message.serverID else { continue }
                digest.addMessage(conversation.key.id, timeMs: message.time.milliseconds, id: id.rawValue)
                if message.id == last.id { newest = id.rawValue }
            }
            count += page.elements.count
            guard page.hasOlder, let oldest = page.elements.first else { break }
            part = .before(.message(.local(oldest.id)))
        }
        digest.addConversation(conversation.key.id, unread: conversation.unread.messages, last: newest, count: count)
    }

    /// The log's records and commits.
    func recordSizes() throws -> RecordSizes {
        var sizes = RecordSizes()
        var commit: Position?
        try store.forEachEvent { event in
            if let commit, commit != event.commit { sizes.commitEnds.append(sizes.sizes.count) }
            commit = event.commit
            sizes.sizes.append(event.byteCount)
            return true
        }
        if commit != nil { sizes.commitEnds.append(sizes.sizes.count) }
        return sizes
    }
}
