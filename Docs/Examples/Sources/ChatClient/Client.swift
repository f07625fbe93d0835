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
        configuration.hooks.historyProvider = ServerHistory(server: server)
        store = try MessageStore.open(directory, account: Self.account, configuration: configuration)
    }

    // MARK: Sync

    /// Connects and brings the store up to date; the pushes that come from now on are for ``receive(_:)``.
    ///
    /// - Returns: The pushes, and how many messages came.
    func connect() async throws -> (pushes: AsyncStream<Server.Push>, messages: Int) {
        let pushes = await server.connect()
        // While one package is made durable, the next are fetched and prepared.
        let progress = try await store.sync(Self.cursor) { cursor in
            if cursor == nil { try await signIn() }
            return OfflinePackages(server: server, after: try await storedCursor())
        }
        return (pushes, progress.messages)
    }

    /// A device's first connection: what was read elsewhere is read here, and only the newest messages are synced.
    private func signIn() async throws {
        var events = await server.readState().map { conversation, time in
            Event.read(
                upTo: MessageOrder(time: Timestamp(milliseconds: time)), in: .group(conversation), origin: .otherDevice)
        }
        events.append(.syncCursorAdvanced(Self.cursor, to: Array("\(await server.cursor(leaving: 120))".utf8)))
        try await store.record(events)
    }

    static func place(_ cursor: Int) -> SyncCursorAdvanced {
        SyncCursorAdvanced(name: Self.cursor, value: Array("\(cursor)".utf8))
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
        try await store.send(.text(text), to: conversation, token: token)
    }

    /// Sends all that waits.
    ///
    /// - Parameter attempts: How often a message is sent that gets no answer.
    /// - Returns: How many messages still wait.
    func sendOutbox(attempts: Int = 3) async throws -> Int {
        do {
            try await store.sendOutbox(backOff: BackOff(delay: .milliseconds(10), attempts: attempts)) { message in
                let answer = try await server.send(
                    message.text ?? "", token: message.clientToken?.rawValue ?? "", from: Self.account.rawValue,
                    to: message.conversation.id)
                return .accepted(as: ServerMessageID(answer.id), at: Timestamp(milliseconds: answer.time))
            }
        } catch is Server.Unreachable {}
        return try await store.read { try $0.outbox().count }
    }

    // MARK: Looking

    /// The whole of a conversation, paged back to its beginning.
    func wholeHistory(of conversation: ConversationKey) async throws -> [Message] {
        var messages: [Message] = []
        var page = try await store.history(of: conversation, limit: 40)
        while let oldest = page.elements.first {
            messages = page.elements + messages
            if page.reachesBeginning && !page.hasOlder { break }
            page = try await store.history(of: conversation, .before(.message(.local(oldest.id))), limit: 40)
        }
        return messages
    }

    /// Whether the views match the log.
    func isConsistent() throws -> Bool { try store.verify().isConsistent }
}
