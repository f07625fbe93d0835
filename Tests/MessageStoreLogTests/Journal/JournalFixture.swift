import Foundation
import MessageStoreLMDB
import MessageStoreTestKit

@_spi(Storage) @testable import MessageStoreLog

/// A log with a journal, and what a crash would leave of it.
struct JournalFixture {
    static let storeID: [UInt8] = Array(1...16)

    let directory: String
    let fixture: LogFixture
    var log: EventLog { fixture.log }

    /// Lends a new log, whose journal is in use.
    static func with<Result>(
        durability: Environment.Configuration.Durability = .full, _ body: (JournalFixture) throws -> Result
    ) throws -> Result {
        try withTemporaryDirectory { directory in
            let path = directory + "/log"
            try FileSystem.createDirectory(path)
            let log = try EventLog(
                path: path, configuration: .init(access: .create, durability: durability, mapSize: 1 << 26))
            try log.symbols.enter(account: LogFixture.account, storeID: storeID)
            try log.useJournal(of: storeID)
            return try body(JournalFixture(directory: directory, fixture: LogFixture(log: log)))
        }
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
    static func reopened(_ path: String, acceptsLoss: Bool = false) throws -> LogFixture {
        let log = try EventLog(path: path, configuration: .init(access: .readWrite, mapSize: 1 << 26))
        try log.useJournal(of: storeID, acceptsLoss: acceptsLoss)
        return LogFixture(log: log)
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
