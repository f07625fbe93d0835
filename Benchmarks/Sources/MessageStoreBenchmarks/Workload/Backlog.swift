internal import MessageStore
internal import MessageStoreWorkload

/// What an account missed while it was offline: generated, or read from a real chat log.
struct Backlog {
    private enum Source {
        case generated(WorkloadGenerator)
        case recorded([SyncEvent])
    }

    /// What the tables call it.
    let name: String
    /// The name as a part of file names.
    var slug: String { String(name.prefix { $0.isLetter || $0.isNumber }) }
    let account: UserID
    /// The conversations by ordinal.
    let conversations: [ConversationKey]
    /// The users by ordinal.
    let users: [UserID]
    /// The names of conversations and users, where the source has some.
    let directory: WorkloadDirectory?
    private let source: Source
    /// Erasures in between, by the number of events that were delivered before.
    var erasures: [Int: Erasure] = [:]

    /// Opens a store whose clock is later than every message of a backlog, of which a generated one of a million events
    /// takes a decade: a message of the future is a rare case with rules of its own.
    func openStore(at path: String, _ configuration: MessageStore.Configuration = .init()) throws -> MessageStore {
        var configuration = configuration
        configuration.now = { Timestamp(milliseconds: Timestamp.now.milliseconds + 1_000 * 365 * 86_400_000) }
        return try MessageStore.open(path, account: account, configuration: configuration)
    }

    /// A seeded backlog of so many events.
    init(_ parameters: WorkloadParameters, events: Int, name: String) {
        let generator = WorkloadGenerator(parameters, eventCount: events)
        let directory = generator.directory
        self.name = name
        account = directory.accountID
        conversations = (0..<directory.conversations).map { directory.conversationKey($0) }
        users = (0..<directory.users).map { UserID(directory.userID($0)) }
        self.directory = directory
        source = .generated(generator)
    }

    /// The events of a log that was read.
    init(name: String, account: UserID, conversations: [ConversationKey], users: [UserID], events: [SyncEvent]) {
        self.name = name
        self.account = account
        self.conversations = conversations
        self.users = users
        directory = nil
        source = .recorded(events)
    }

    /// The same conversations and users with events in another order.
    func delivered(_ events: [SyncEvent]) -> Backlog {
        Backlog(name: name, account: account, conversations: conversations, users: users, events: events)
    }

    /// How many events it has.
    var count: Int {
        switch source {
        case .generated(let generator): generator.eventCount
        case .recorded(let events): events.count
        }
    }

    /// The first events, at most so many; none are held in memory.
    func events(limit: Int = .max) -> AnyIterator<SyncEvent> {
        var left = limit
        switch source {
        case .generated(let generator):
            var iterator = generator.makeIterator()
            return AnyIterator {
                guard left > 0, let event = iterator.next() else { return nil }
                left -= 1
                return SyncEvent(event)
            }
        case .recorded(let events):
            var iterator = events.makeIterator()
            return AnyIterator {
                guard left > 0, let event = iterator.next() else { return nil }
                left -= 1
                return event
            }
        }
    }

    /// The event as the store records it.
    func storeEvent(_ event: SyncEvent) -> Event {
        let key = conversations[Int(event.conversation)]
        let time = Timestamp(milliseconds: event.timeMs)
        let sender = users[Int(event.sender)]
        switch event.kind {
        case .text:
            let message = MessageReceived(
                serverID: ServerMessageID(event.id), sender: sender, sentTime: time, content: .text(event.text))
            return Event(message, in: key, origin: event.isOwn ? .otherDevice : .offline)
        case .joined:
            return Event(
                MembersAdded([sender], kind: .joined), in: key, id: EventID(event.id), origin: .offline,
                serverTime: time)
        case .left:
            return Event(
                MembersRemoved([sender], kind: .left), in: key, id: EventID(event.id),
                origin: .offline, serverTime: time)
        }
    }
}

extension SyncEvent {
    init(_ event: WorkloadEvent) {
        let kind: Kind =
            switch event.kind {
            case .text: .text
            case .memberJoined: .joined
            case .memberLeft: .left
            }
        self.init(
            conversation: Int32(event.conversation), sender: Int32(event.sender), kind: kind, isOwn: event.isOwn,
            timeMs: event.timeMs, id: event.serverID, text: event.text)
    }
}
