import MessageStore

/// The core of a chat client: a store, a connection, and what happens between them.
final class Client: Sendable {
    static let account: UserID = "alice"
    private static let cursor = "inbox"

    let store: MessageStore
    private let server: Server

    /// Opens the account's store; no network is needed to show what it has.
    init(directory: String, server: Server) throws {
        self.server = server
        var configuration = MessageStore.Configuration()
        configuration.historyProvider = ServerHistory(server: server)
        store = try MessageStore.open(directory, account: Self.account, configuration: configuration)
    }

    // MARK: Sync

    /// Connects and brings the store up to date; the pushes that come from now on are for ``receive(_:)``.
    ///
    /// - Returns: The pushes, and how many messages came.
    func connect() async throws -> (pushes: AsyncStream<Server.Push>, messages: Int) {
        let pushes = await server.connect()
        try await store.record([
            Event(SessionStateChanged(.connected)), Event(OfflineSyncStarted()),
        ])
        if try await store.read({ try $0.syncCursor(Self.cursor) }) == nil { try await signIn() }
        let packages = OfflinePackages(server: server, after: try await storedCursor())
        // While one package is made durable, the next are fetched and prepared.
        try await store.ingest(packages)
        try await store.record(Event(OfflineSyncCompleted(), origin: .offline))
        return (pushes, try await store.read { try $0.syncProgress() }.messages)
    }

    /// A device's first connection: what was read elsewhere is read here, and only the newest messages are synced.
    private func signIn() async throws {
        var events = await server.readState().map { conversation, time in
            Event.read(
                upTo: MessageOrder(time: Timestamp(milliseconds: time)), in: .group(conversation), origin: .otherDevice)
        }
        events.append(Self.advance(to: await server.cursor(leaving: 120)))
        try await store.record(events)
    }

    static func advance(to cursor: Int) -> Event {
        Event(SyncCursorAdvanced(name: Self.cursor, value: Array("\(cursor)".utf8)))
    }

    private func storedCursor() async throws -> Int {
        let bytes = try await store.read { try $0.syncCursor(Self.cursor) } ?? []
        return Int(String(decoding: bytes, as: UTF8.self)) ?? 0
    }

    // MARK: Receiving

    /// Records what the server pushed.
    func receive(_ push: Server.Push) async throws {
        switch push {
        case .message(let message):
            let isOwn = message.sender == Self.account.rawValue
            try await store.record(message.event(origin: isOwn ? .otherDevice : .live))
        case .read(let reader, let conversation, let time):
            let time = Timestamp(milliseconds: time)
            try await store.record(
                .readByPeer(.upTo(time), by: UserID(reader), in: .group(conversation), at: time))
        }
    }

    /// This account looked at a conversation: here at once, on the server as soon as it answers.
    func markRead(_ conversation: ConversationKey) async throws {
        try await store.record(.read(in: conversation))
        guard let marker = try await store.read({ try $0.unread(of: conversation).readUpTo }) else { return }
        await server.markRead(conversation.id, upTo: marker.time.milliseconds)
    }

    // MARK: Sending

    /// Queues a message; it is durable and shown when this returns.
    func send(_ text: String, token: ClientToken, to conversation: ConversationKey) async throws -> LocalMessageID {
        try await store.enqueue(MessageSendQueued(content: .text(text), clientToken: token), to: conversation)
    }

    /// Tries to send all that waits, each message once.
    ///
    /// - Returns: How many messages still wait.
    func sendOutbox() async throws -> Int {
        let waiting = try await store.read { try $0.outbox() }
        var left = 0
        for message in waiting {
            guard let token = message.clientToken else { continue }
            if message.status == .failed { try await store.record(.sendRetried(message.id, in: message.conversation)) }
            do {
                let answer = try await server.send(
                    message.text ?? "", token: token.rawValue, from: Self.account.rawValue, to: message.conversation.id)
                let time = Timestamp(milliseconds: answer.time)
                try await store.record(
                    .sent(message.id, as: ServerMessageID(answer.id), in: message.conversation, at: time))
            } catch is Server.Unreachable {
                try await store.record(.sendFailed(message.id, in: message.conversation, code: 503))
                left += 1
            }
        }
        return left
    }

    // MARK: Looking

    /// The whole of a conversation, paged back to its beginning.
    func wholeHistory(of conversation: ConversationKey) async throws -> [Message] {
        var messages: [Message] = []
        var page = try await store.history(of: conversation, limit: 40)
        while let oldest = page.messages.first {
            messages = page.messages + messages
            if page.reachesBeginning && !page.hasOlder { break }
            page = try await store.history(of: conversation, .before(.message(.local(oldest.id))), limit: 40)
        }
        return messages
    }

    /// Whether the views match the log.
    func isConsistent() throws -> Bool { try store.verify().isConsistent }
}
