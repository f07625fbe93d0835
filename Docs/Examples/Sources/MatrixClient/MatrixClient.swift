import Foundation
import MessageStore

/// The core of a Matrix client: an account's store, its homeserver, and what happens between them.
public actor MatrixClient {
    /// The account's store: everything that is shown comes from it.
    public nonisolated let store: MessageStore
    nonisolated let server: MatrixServer
    private let timelineLimit: Int
    private var isConnected = false
    /// The `next_batch` of the last response; the store has it only where something else was recorded with it.
    private var place: String?

    /// How many events of the server could not be recorded so far: fields were missing or had values that no store allows.
    public private(set) var skippedEvents = 0

    /// Signs in to a server and opens the account's store, which needs the network.
    ///
    /// - Parameters:
    ///   - directory: Where the store and the session are kept; it is created if it does not exist.
    ///   - address: The server's address.
    ///   - timelineLimit: How many events of a room one sync response has at most; more leave a gap.
    public static func signIn(
        to address: String, user: String, password: String, in directory: String, timelineLimit: Int = 30
    ) async throws -> MatrixClient {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let server = try MatrixServer(address)
        let before = MatrixSession(in: directory).flatMap { session in
            let isSame = session.user == user || session.user.hasPrefix("@\(user):")
            return session.address == server.address && isSame ? session : nil
        }
        // To sign in ends the device's session so far, which another process that has the store open would lose.
        var opened: OpenStore?
        if let before { opened = try await openStore(of: UserID(before.user), in: directory) }
        do {
            let session = try await server.signIn(user: user, password: password, device: before?.device)
            if opened == nil { opened = try await openStore(of: UserID(session.user), in: directory) }
            guard let opened, session.user == opened.store.account.rawValue else {
                throw MatrixError.invalidAnswer(field: "user_id")
            }
            try session.save(in: directory)
            return try MatrixClient(session, opened, timelineLimit: timelineLimit)
        } catch {
            try? await opened?.store.close()
            throw error
        }
    }

    /// Opens the store of an account that signed in before, without the network; nil where nobody did.
    public static func open(_ directory: String, timelineLimit: Int = 30) async throws -> MatrixClient? {
        guard let session = MatrixSession(in: directory) else { return nil }
        let opened = try await openStore(of: UserID(session.user), in: directory)
        return try MatrixClient(session, opened, timelineLimit: timelineLimit)
    }

    private init(_ session: MatrixSession, _ opened: OpenStore, timelineLimit: Int) throws {
        self.init(try MatrixServer(session.address, token: session.token), opened, timelineLimit: timelineLimit)
    }

    init(_ server: MatrixServer, _ opened: OpenStore, timelineLimit: Int) {
        self.server = server
        self.timelineLimit = timelineLimit
        store = opened.store
        opened.history.use(store, server)
    }

    typealias OpenStore = (store: MessageStore, history: MatrixHistory)

    static func openStore(of account: UserID, in directory: String) async throws -> OpenStore {
        let history = MatrixHistory()
        var configuration = MessageStore.Configuration()
        configuration.historyProvider = history
        // The times are those of the senders' servers: one that is off must not stop the sync.
        configuration.acceptsTimesInSeconds = true
        let path = directory + "/store"
        return (try await MessageStore.open(path, account: account, configuration: configuration), history)
    }

    // MARK: Receiving

    /// Asks for news, and records them with the place to continue from in one commit.
    ///
    /// - Parameter time: How long the server may wait for something new.
    /// - Throws: `MatrixError` and `StoreError`; nothing is recorded then but the end of the connection.
    public func sync(waiting time: Duration = .zero) async throws {
        let recorded = try await store.read { try $0.syncCursor(MatrixSync.cursorName) }
        let since = place ?? recorded.map { String(decoding: $0, as: UTF8.self) }
        do {
            let response = try await server.sync(since: since, timelineLimit: timelineLimit, waiting: time)
            let sync = try await read(response)
            skippedEvents += sync.skipped
            try await record(sync)
            place = sync.cursor
        } catch let error as MatrixError {
            if isConnected { try await store.record(Event(SessionStateChanged(.disconnected))) }
            isConnected = false
            throw error
        }
    }

    private func read(_ response: JSONValue) async throws -> MatrixSync {
        let lookup = MatrixLookup(store: store)
        return try MatrixSync(
            response, account: store.account, origin: isConnected ? .live : .offline,
            places: try await placesOfReceipts(response, lookup), lookup: lookup)
    }

    /// The first response of a connection has everything that was missed without one.
    private func record(_ sync: MatrixSync) async throws {
        if isConnected {
            if !sync.isEmpty { try await recordWhole(sync) { try await store.record($0) } }
            return
        }
        try await store.record([Event(SessionStateChanged(.connected)), Event(OfflineSyncStarted())])
        try await recordWhole(sync) { try await store.ingest(OfflinePackage(index: 0, events: $0, hasMore: false)) }
        try await store.record(Event(OfflineSyncCompleted(), origin: .offline))
        isConnected = true
    }

    /// Records a response in one commit. Where an event breaks a rule the others come first, and then the place to
    /// continue from: after a crash in between they come again and are recognised.
    private func recordWhole(_ sync: MatrixSync, by commit: ([Event]) async throws -> Void) async throws {
        do {
            try await commit(sync.events)
        } catch let error as StoreError where error.code == .invalidArgument {
            skippedEvents += try await store.recordAllowed(sync.events.dropLast())
            try await commit(sync.events.suffix(1))
        }
    }

    /// The places of events with receipts that are neither in the response nor messages of the store: a reaction, an edit
    /// or a member's coming may be the last that somebody read. At most thirty are asked for, and none any more once the
    /// server does not answer, for the response waits.
    private func placesOfReceipts(_ response: JSONValue, _ lookup: MatrixLookup) async throws -> [String: MessageOrder]
    {
        var wanted: [(event: String, room: String, isOwn: Bool, time: Timestamp)] = []
        for (room, value) in response["rooms"]?["join"]?.members ?? [] {
            let known = Set(value["timeline"]?["events"]?.array?.compactMap { $0["event_id"]?.string } ?? [])
            let receipts = value.events("ephemeral").filter { $0["type"]?.string == "m.receipt" }
                .flatMap { MatrixRoom.receipts($0["content"]) }
            wanted += receipts.filter { !known.contains($0.event) }
                .map { ($0.event, room, $0.user == store.account, $0.time) }
        }
        // A large room may have one of each member: the newest are of messages that are likely to be shown.
        wanted.sort { ($0.isOwn ? 1 : 0, $0.time) > ($1.isOwn ? 1 : 0, $1.time) }
        var places: [String: MessageOrder] = [:]
        var asked: Set<String> = []
        for (event, room, _, _) in wanted where asked.count < 30 && !asked.contains(event) {
            guard try lookup.message(event, in: .id(room)) == nil else { continue }
            asked.insert(event)
            do {
                let answer = MatrixEvent(try await server.event(event, of: room))
                if let answer, answer.id == event { places[event] = answer.place }
            } catch MatrixError.refused, MatrixError.invalidAnswer {
                continue  // An event that this account may not see, for one.
            } catch MatrixError.busy, MatrixError.unreachable {
                break
            }
        }
        return places
    }

    // MARK: Running

    /// Receives and sends until the task is cancelled, the store is closed or the server ends the session; while the
    /// server cannot be reached, it is tried again and again.
    ///
    /// - Throws: `CancellationError`, `StoreError`, `MatrixError.signedOut`, and `MatrixError.refused` where the server
    ///   refuses to sync.
    public nonisolated func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.keepReceiving() }
            group.addTask { try await self.keepSending() }
            try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    private func keepReceiving() async throws {
        var delay = Duration.seconds(1)
        while true {
            do {
                try await sync(waiting: isConnected ? .seconds(30) : .zero)
                delay = .seconds(1)
            } catch let error as MatrixError where error.isTemporary {
                try await Task.sleep(for: error.delay ?? delay)
                delay = min(delay * 2, .seconds(30))
            }
        }
    }

    /// Looks at what waits after each commit, among which is that of a new connection.
    private nonisolated func keepSending() async throws {
        for try await _ in store.observe({ $0.position }) {
            var isDone = false
            while !isDone {
                do {
                    try await sendWaiting()
                    isDone = true
                } catch let error as MatrixError where error.isTemporary {
                    try await Task.sleep(for: error.delay ?? .seconds(2))
                }
            }
        }
    }
}

extension MatrixError {
    /// How long the server wants to be left alone, an hour at most.
    fileprivate var delay: Duration? {
        guard case .busy(let milliseconds?) = self else { return nil }
        return .milliseconds(min(max(milliseconds, 100), 3_600_000))
    }
}
