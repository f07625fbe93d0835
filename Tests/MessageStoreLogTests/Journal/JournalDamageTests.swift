import Foundation
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("I10: damage of the journal") struct JournalDamageTests {
    private let journal: JournalFixture

    init() throws { journal = try JournalFixture() }

    /// Three frames of three events each, and where each begins.
    private static func withFrames(
        durability: Environment.Configuration.Durability = .full,
        _ body: (JournalFixture, _ starts: [Int]) throws -> Void
    ) throws {
        let journal = try JournalFixture(durability: durability)
        for frame in 0..<3 {
            try journal.record((0..<3).map { Event(ConversationMuted(true), in: .group("g\(frame)-\($0)")) })
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: journal.directory + "/log/journal-0"))
        let magic = Data((LogFixture.key == nil ? "\nMSJRNL1" : "\nMSJRNS1").utf8)
        let starts = stride(from: 0, to: bytes.count, by: JournalFrame.alignment).filter {
            bytes[$0...].starts(with: magic)
        }
        try #require(starts.count == 3)
        try body(journal, starts)
    }

    @Test(
        "the last frame, torn anywhere, was never acknowledged: the others are there",
        arguments: [0, 8, 40, 60, 70, 300])
    func tornEnd(offset: Int) throws {
        try Self.withFrames { journal, starts throws in
            let path = try journal.crashed { try JournalFixture.damage($0, at: starts[2] + offset) }
            #expect(try JournalFixture.reopened(path).log.lastPosition == Position(6))
        }
    }

    @Test(
        "a frame that was durable before the one behind it was written is named by its first position",
        arguments: [0, 1], [0, 8, 20, 33, 45, 58, 70, 300])
    func damaged(frame: Int, offset: Int) throws {
        try Self.withFrames { journal, starts throws in
            let path = try journal.crashed { try JournalFixture.damage($0, at: starts[frame] + offset) }
            let error = storeError { try JournalFixture.reopened(path) }
            #expect(error?.code == .logDamaged)
            #expect(error?.position == Position(UInt64(3 * frame + 1)))
            // The files stay as they are, and what is left can be had.
            #expect(storeError { try JournalFixture.reopened(path) } == error)
            #expect(
                try JournalFixture.reopened(path, acceptsLoss: true).log.lastPosition == Position(UInt64(3 * frame)))
        }
    }

    @Test(
        "a damaged frame that the log has hides nothing from readers and writers", arguments: [0, 1, 2],
        [0, 8, 20, 33, 45, 58, 70, 300])
    func behindDamage(frames: Int, offset: Int) throws {
        try Self.withFrames { journal, starts throws in
            // A kill between a commit and the next use of the file: the log has some of the frames.
            let path = try journal.crashed { copy in
                let log = try EventLog(path: copy, configuration: .ofTests(access: .readWrite, mapSize: 1 << 26))
                let frames = try JournalContent(
                    in: copy, storeID: JournalFixture.storeID, sealedBy: JournalFixture.frameKey
                ).frames.prefix(frames + 1)
                for frame in frames { try log.commit(frame.events) }
                for frame in 0...frames.count - 1 { try JournalFixture.damage(copy, at: starts[frame] + offset) }
            }
            let reader = try EventLog(path: path, configuration: .ofTests(access: .readOnly))
            try reader.useJournal(of: JournalFixture.storeID)
            let all = try JournalFixture.records(journal.fixture)
            for _ in 0..<2 { #expect(try JournalFixture.records(LogFixture(log: reader)) == all) }
            #expect(try reader.symbols.conversation(9) == .group("g2-2"))
        }
    }

    @Test("events that were never flushed may be lost, and all behind them with them")
    func relaxed() throws {
        try Self.withFrames(durability: .relaxed) { journal, starts throws in
            let path = try journal.crashed { try JournalFixture.damage($0, at: starts[1] + 70) }
            #expect(try JournalFixture.reopened(path).log.lastPosition == Position(3))
        }
    }

    @Test("every byte of a frame counts")
    func everyByte() throws {
        try Self.withFrames { journal, starts throws in
            let bytes = try FileSystem.read(journal.directory + "/log/journal-0", limit: 1 << 20)
            let frame = Array(bytes[starts[0]..<starts[1]])
            let size = JournalFrame.Header(frame.span.bytes)?.byteCount ?? 0
            #expect(size > JournalFrame.Layout.headerSize)
            #expect(try Self.isWhole(frame))
            for index in 0..<size {
                var damaged = frame
                damaged[index] ^= 1
                #expect(try !Self.isWhole(damaged), "byte \(index)")
            }
            for count in 0..<size { #expect(try !Self.isWhole(Array(frame[..<count])), "\(count) bytes") }
        }
    }

    private static func isWhole(_ bytes: [UInt8]) throws -> Bool {
        try JournalFrame.read(bytes.span.bytes, JournalFixture.frameKey) != nil
    }

    @Test("a journal of another store is refused, and stays as it is")
    func foreign() throws {
        try journal.record([Event(ConversationMuted(true), in: .group("g"))])
        let path = try journal.crashed()
        let log = try EventLog(path: path, configuration: .ofTests(access: .readWrite, mapSize: 1 << 26))
        let before = try FileSystem.read(path + "/journal-0", limit: 1 << 20)
        #expect(storeError { try log.useJournal(of: Array(2...17)) }?.code == .logDamaged)
        #expect(try FileSystem.read(path + "/journal-0", limit: 1 << 20) == before)
    }

    @Test("a log older than its journal is refused, unless that is accepted")
    func olderLog() throws {
        let older = try journal.crashed()
        try journal.record([Event(ConversationMuted(true), in: .group("a"))])
        try journal.log.commit()
        try journal.record([Event(ConversationMuted(true), in: .group("b"))])
        for name in Journal.fileNames {
            let source = journal.directory + "/log/" + name
            guard try FileSystem.status(of: source) != nil else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: older + "/" + name)
        }
        #expect(storeError { try JournalFixture.reopened(older) }?.position == Position(1))
        #expect(try JournalFixture.reopened(older, acceptsLoss: true).log.lastPosition == .origin)
    }
}
