import Foundation
import MessageStore
import MessageStoreMatrix

/// The core of a Matrix client: an account's store, its homeserver, and what happens between them.
public actor MatrixClient {
    /// The account's store: everything that is shown comes from it.
    public nonisolated let store: MessageStore
    nonisolated let server: MatrixServer
    private let timelineLimit: Int
    private var rules: MatrixRules
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
        rules = MatrixRules(store, allowsTimesInSeconds: true)
        opened.history.use(store, server)
    }

    typealias OpenStore = (store: MessageStore, history: MatrixHistory)

    static func openStore(of account: UserID, in directory: String) async throws -> OpenStore {
        let history = MatrixHistory()
        var configuration = MessageStore.Configuration()
        configuration.hooks.historyProvider = history
        // The times are those of the senders' servers: one that is off must not stop the sync.
        configuration.sync.allowsTimesInSeconds = true
        let path = directory + "/store"
        return (try await MessageStore.open(path, account: account, configuration: configuration), history)
    }

    // MARK: Receiving

    /// Asks for news, and records them with the place to continue from in one commit.
    ///
    /// - Parameter time: How long the server may wait for something new.
    /// - Throws: `MatrixError` and `StoreError`; nothing is recorded then but the end of the connection.
    public func sync(waiting time: Duration = .zero) async throws {
        let recorded = try await store.read { try $0.syncCursor(MatrixRules.cursorName) }
        let since = place ?? recorded.map { String(decoding: $0, as: UTF8.self) }
        do {
            let response = try await server.sync(since: since, timelineLimit: timelineLimit, waiting: time)
            let cursor = try response.required("next_batch", longest: JSONValue.longestToken)
            try await learnPlaces(of: response)
            let package = try rules.package(
                of: response, nextBatch: cursor, origin: isConnected ? .live : .offline)
            for reason in [MatrixSkip.missingField, .notAllowed] { skippedEvents += package.skipped[reason] ?? 0 }
            try await record(package.events)
            place = cursor
        } catch let error as MatrixError {
            if isConnected { try await store.record(Event(SessionStateChanged(.disconnected))) }
            isConnected = false
            throw error
        }
    }

    /// The first response of a connection has everything that was missed without one. A later one without events has
    /// nothing but its cursor.
    private func record(_ events: [Event]) async throws {
        if isConnected {
            if events.count > 1 { try await store.record(events) }
            return
        }
        try await store.record([Event(SessionStateChanged(.connected)), Event(OfflineSyncStarted())])
        try await store.ingest(OfflinePackage(index: 0, events: events, hasMore: false))
        try await store.record(Event(OfflineSyncCompleted(), origin: .offline))
        isConnected = true
    }

    /// Asks for the places of events with receipts that are neither in the response nor known: an event of which the
    /// store has nothing may be the last that somebody read. At most thirty are asked for, and none any more once the
    /// server does not answer, for the response waits.
    private func learnPlaces(of response: JSONValue) async throws {
        var wanted: [(receipt: MatrixReceipt, room: String)] = []
        for (room, value) in response["rooms"]?["join"]?.members ?? [] {
            let known = Set(value.events("timeline").compactMap { $0["event_id"]?.string })
            let receipts = MatrixReceipt.all(in: value).filter { !$0.isOfThread && !known.contains($0.event) }
            wanted += receipts.map { ($0, room) }
        }
        // A large room may have one of each member: the newest are of messages that are likely to be shown.
        func rank(_ receipt: MatrixReceipt) -> (Int, Timestamp) {
            (receipt.user == store.account ? 1 : 0, receipt.time)
        }
        wanted.sort { rank($0.receipt) > rank($1.receipt) }
        var asked: Set<String> = []
        for (receipt, room) in wanted where asked.count < 30 && !asked.contains(receipt.event) {
            guard try rules.place(of: receipt.event, in: .id(room)) == nil else { continue }
            asked.insert(receipt.event)
            do {
                let answer = MatrixEvent(try await server.event(receipt.event, of: room))
                if let answer, answer.id == receipt.event { rules.learn(answer.place, of: answer.id, in: .id(room)) }
            } catch MatrixError.refused, MatrixError.invalidAnswer {
                continue  // An event that this account may not see, for one.
            } catch MatrixError.busy, MatrixError.unreachable {
                break
            }
        }
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
