import Foundation
import MessageStoreLMDB
import MessageStoreSealing
@_exported import MessageStoreTestKit
@_exported import MessageStoreWorkload
import Testing

@_spi(Storage) @testable import MessageStoreLog

/// Lends a new, empty log of the account `me`.
func withLog<Result>(_ body: (LogFixture) throws -> Result) throws -> Result {
    try body(LogFixture())
}

/// A log and short forms of what tests do with it.
final class LogFixture: Sendable {
    static let account: UserID = "me"
    /// The key under which the tests of logs run; nil for clear logs.
    static let key = ProcessInfo.processInfo.environment["MESSAGESTORE_SEALED"] == nil ? nil : try? testKey(1)

    let log: EventLog
    /// Where a new log is, as long as it is used.
    private let directory: TemporaryDirectory?

    init(log: EventLog) {
        (self.log, directory) = (log, nil)
    }

    /// A new, empty log of the account.
    init() throws {
        let directory = TemporaryDirectory()
        log = try EventLog(path: directory.path, configuration: .ofTests(access: .create, mapSize: 1 << 24))
        try log.symbols.enter(account: Self.account)
        self.directory = directory
    }

    /// Records events, each as a new one: whether one is known is no matter of the log.
    @discardableResult
    func append(_ events: [Event], now: Int64 = 1000) throws -> [Position] {
        let prepared = try log.prepare(events, account: Self.account, now: Timestamp(milliseconds: now))
        try log.commit(prepared)
        return events.indices.map { Position(prepared.batch.firstPosition.rawValue + UInt64($0)) }
    }

    func event(at position: UInt64) throws -> Event? {
        let snapshot = try log.snapshot()
        guard let record = try snapshot.record(at: Position(position)) else { return nil }
        return try RecordDecoder(symbols: log.symbols).event(from: record)
    }

    func bytes(at position: UInt64) throws -> [UInt8]? {
        let snapshot = try log.snapshot()
        return try snapshot.record(at: Position(position))?.bytes.copied
    }

    /// What `read` takes from each record between two positions.
    func scan<Value>(
        from first: UInt64 = 0, to last: UInt64 = .max, _ read: (RecordView) -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try log.snapshot().scan(from: Position(first), to: Position(last)) { record in
            values.append(read(record))
            return .proceed
        }
        return values
    }

    func scanBackwards(from last: UInt64 = .max, downTo first: UInt64 = 0) throws -> [UInt64] {
        var positions: [UInt64] = []
        try log.snapshot().scanBackwards(from: Position(last), downTo: Position(first)) { record in
            positions.append(record.position.rawValue)
            return .proceed
        }
        return positions
    }

    /// Changes the stored bytes of a record behind the log's back; nil removes it.
    func overwrite(_ position: UInt64, _ change: (inout [UInt8]?) -> Void) throws {
        let key = withUnsafeBytes(of: position.bigEndian) { [UInt8]($0) }
        // Without the form by which a log with a key opens it.
        let table = try log.environment.openTables(["records"], create: false)[0]
        try log.environment.write { transaction in
            var bytes = try transaction.value(for: key.span.bytes, in: table)?.copied
            change(&bytes)
            if let bytes {
                try transaction.put(bytes.span.bytes, for: key.span.bytes, in: table)
            } else {
                try transaction.remove(key.span.bytes, in: table)
            }
        }
    }
}

extension Environment.Configuration {
    /// With the key of the tests, if they are run with one.
    static func ofTests(access: Access, mapSize: Int = standardMapSize) -> Self {
        var configuration = Self(access: access, mapSize: mapSize)
        configuration.key = LogFixture.key
        return configuration
    }
}

extension Trait where Self == ConditionTrait {
    /// Of a test that needs logs without a key.
    static func withoutKey(_ reason: Comment) -> Self { .enabled(if: LogFixture.key == nil, reason) }
}

func testKey(_ number: UInt8) throws -> SecretKey { try SecretKey([UInt8](repeating: number, count: 32)) }

extension SplitMix64 {
    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
