import MessageStoreLMDB

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

/// A new log of the account `me`, its views, and what decides which events enter it.
final class AdmissionFixture {
    private static let account: UserID = "me"

    let log: EventLog
    let views: ServedViews
    private var admission = Admission(repeatWindows: RepeatWindows())
    /// How often admission took views to look something up.
    private(set) var viewsTaken = 0

    private let directory = TemporaryDirectory()

    /// - Parameter path: Where the log and the views are made; nil for a new directory.
    init(_ path: String? = nil) throws {
        let path = path ?? directory.path
        try FileSystem.createDirectory(path + "/log")
        log = try EventLog(path: path + "/log", configuration: .init(access: .create, mapSize: 1 << 24))
        try log.symbols.enter(account: Self.account)
        views = try ServedViews(
            log: log, path: path + "/views", storeID: [UInt8](repeating: 1, count: 16),
            configuration: .init(durability: .none))
    }

    func admit(_ events: [Event]) throws -> AdmittedBatch {
        try admission.admit(
            events, into: log.beginBatch(account: Self.account, now: Timestamp(milliseconds: 1000)),
            over: { isWhole in
                self.viewsTaken += 1
                return try self.views.admissionSnapshot(isWhole: isWhole)
            })
    }

    func noteClaims(of admitted: AdmittedBatch) { admission.noteClaims(of: admitted) }

    /// Lets admission know the identities of the log without looking them up.
    func makeFilter() throws {
        var filter: IdentityFilter? = try IdentityFilter(views.snapshot(), in: nil)
        admission.take(&filter)
    }

    /// Records events in one commit.
    @discardableResult
    func append(_ events: [Event]) throws -> [Position] {
        let admitted = try admit(events)
        admission.noteClaims(of: admitted)
        try log.commit(admitted.prepared)
        _ = try admission.note(admitted, log.symbols)
        return admitted.positions
    }

    /// The types of all records.
    var types: [EventType] {
        get throws {
            var types: [EventType] = []
            try log.snapshot().scan(from: Position(1), to: log.lastPosition) { record in
                types.append(record.type)
                return .proceed
            }
            return types
        }
    }

    /// Records that are not just another name of a message.
    var countOfOriginals: Int {
        get throws { try types.filter { $0 != .messageDuplicateSuppressed }.count }
    }

    func event(at position: UInt64) throws -> Event? {
        let snapshot = try log.snapshot()
        guard let record = try snapshot.record(at: Position(position)) else { return nil }
        return try RecordDecoder(symbols: log.symbols).event(from: record)
    }

    /// The stored bytes of a record; none where there is no such record.
    func bytes(_ position: UInt64) throws -> [UInt8] {
        let snapshot = try log.snapshot()
        return try snapshot.record(at: Position(position))?.bytes.copied ?? []
    }

    /// Makes the stored bytes of a record unreadable.
    func damage(_ position: UInt64) throws { try replace(position, by: [1, 2, 3]) }

    /// Puts other bytes in the place of a record's.
    func replace(_ position: UInt64, by bytes: [UInt8]) throws {
        let key = withUnsafeBytes(of: position.bigEndian) { [UInt8]($0) }
        try log.environment.write { transaction in
            try transaction.put(bytes.span.bytes, for: key.span.bytes, in: log.storage.tables.records)
        }
    }
}

extension AdmissionFixture {
    static func received(
        _ id: ServerMessageID, from sender: UserID = "a", in conversation: String = "g", token: ClientToken? = nil,
        event: EventID? = nil
    ) -> Event {
        let body = MessageReceived(
            serverID: id, sender: sender, sentTime: Timestamp(milliseconds: 5), content: .text("x"),
            clientToken: token)
        return Event(body, in: .group(conversation), id: event)
    }

    static func queued(_ token: ClientToken?) -> Event {
        Event(MessageSendQueued(content: .text("x"), clientToken: token), in: .group("g"))
    }
}
