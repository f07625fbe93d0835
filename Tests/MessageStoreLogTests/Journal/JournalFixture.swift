import Foundation
import MessageStoreLMDB
import MessageStoreSealing

@_spi(Storage) @testable import MessageStoreLog

/// A log with a journal, and what a crash would leave of it.
final class JournalFixture: Sendable {
    static let storeID: [UInt8] = Array(1...16)
    /// The key of frames for readers; nil where logs have no key.
    static var frameKey: SecretKey? { LogFixture.key.map(JournalFrame.key) }

    let directory: String
    let fixture: LogFixture
    var log: EventLog { fixture.log }
    private let temporary: TemporaryDirectory

    /// A log that is there.
    init(_ fixture: LogFixture, in directory: String) {
        (self.fixture, self.directory, temporary) = (fixture, directory, TemporaryDirectory())
    }

    /// Makes a log, whose journal is in use.
    ///
    /// - Parameters:
    ///   - hook: Runs before each commit and each write of the journal.
    ///   - isOwner: Whether nobody else can have opened the log.
    ///   - directory: Where the log is made; a new directory, which is removed, where that is nil.
    init(
        durability: Environment.Configuration.Durability = .full, hook: JournalHook? = nil,
        isOwner: @escaping @Sendable () -> Bool = { true }, noteFailure: @escaping EventLog.NoteFailure = { _, _ in },
        key: SecretKey? = LogFixture.key, in directory: String? = nil
    ) throws {
        temporary = TemporaryDirectory()
        self.directory = directory ?? temporary.path
        let path = self.directory + "/log"
        try FileSystem.createDirectory(path)
        var configuration = Environment.Configuration(access: .create, durability: durability, mapSize: 1 << 26)
        configuration.commitFault = hook?.fault
        configuration.key = key
        fixture = LogFixture(log: try EventLog(path: path, configuration: configuration))
        try log.symbols.enter(account: LogFixture.account, storeID: Self.storeID)
        try log.useJournal(of: Self.storeID, isOwner: isOwner, noteFailure: noteFailure)
    }

    /// Stages events, and makes them durable.
    func record(_ events: [Event]) throws {
        let prepared = try log.prepare(events, account: LogFixture.account, now: Timestamp(milliseconds: 1000))
        log.stage(prepared)
        try log.makeDurable()
    }

    /// The files as a killed process would leave them now, under another name; changed by `change`.
    func crashed(_ change: (_ path: String) throws -> Void = { _ in }) throws -> String {
        let copy = directory + "/" + UUID().uuidString
        try FileManager.default.copyItem(atPath: directory + "/log", toPath: copy)
        try change(copy)
        return copy
    }

    /// Opens such files.
    static func reopened(
        _ path: String, acceptsLoss: Bool = false, hook: JournalHook? = nil, key: SecretKey? = LogFixture.key,
        access: Environment.Configuration.Access = .readWrite
    ) throws -> LogFixture {
        var configuration = Environment.Configuration(access: access, mapSize: 1 << 26)
        configuration.commitFault = hook?.fault
        configuration.key = key
        let log = try EventLog(path: path, configuration: configuration)
        try log.useJournal(of: storeID, acceptsLoss: acceptsLoss)
        return LogFixture(log: log)
    }

    /// Stages an event, which is visible then and not durable.
    func stage(_ event: Event) throws -> PreparedAppend {
        let prepared = try log.prepare([event], account: LogFixture.account, now: Timestamp(milliseconds: 1000))
        log.stage(prepared)
        return prepared
    }

    /// What the journal's files of a log hold.
    static func files(in path: String) throws -> [UInt8] {
        try Journal.fileNames.flatMap { name in
            try FileSystem.status(of: path + "/" + name) == nil
                ? [] : FileSystem.read(path + "/" + name, limit: 1 << 23)
        }
    }

    /// Every record of a log, in order.
    static func records(_ fixture: LogFixture) throws -> [[UInt8]] { try fixture.scan { $0.bytes.copied } }

    /// Changes bytes of a journal's file.
    static func damage(_ path: String, file: Int = 0, at offset: Int, _ change: (UInt8) -> UInt8 = { ~$0 }) throws {
        let url = URL(fileURLWithPath: path + "/journal-\(file)")
        var bytes = try Data(contentsOf: url)
        bytes[offset] = change(bytes[offset])
        try bytes.write(to: url)
    }
}

/// What a test does before each commit and each write of the journal.
final class JournalHook: Sendable {
    private let body = Locked<(@Sendable () throws -> Void)?>(nil)

    /// Does something from now on; nil for nothing.
    func set(_ body: (@Sendable () throws -> Void)?) { self.body.withLock { $0 = body } }

    var fault: @Sendable () throws -> Void { { [self] in try body.withLock { $0 }?() } }

    /// No room on the medium.
    static let full: @Sendable () throws -> Void = {
        throw LMDBError(.init(rawValue: ENOSPC), operation: "commit", path: "", detail: "injected fault")
    }
}
