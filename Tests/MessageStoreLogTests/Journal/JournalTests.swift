import Foundation
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("The journal") struct JournalTests {
    private let journal: JournalFixture

    init() throws { journal = try JournalFixture() }

    private static func event(_ number: Int, bytes: Int = 20) -> Event {
        Event(
            MessageReceived(
                serverID: ServerMessageID("s\(number)"), sender: UserID("user \(number % 7)"),
                sentTime: Timestamp(milliseconds: 1_000_000 + Int64(number)),
                content: .text(String(repeating: "字", count: bytes / 3) + "\(number)")), in: .group("g\(number % 5)"))
    }

    @Test("I2: what is durable and not committed yet is there after a crash, with its symbols and its bytes")
    func survives() throws {
        for number in 0..<5 { try journal.record([Self.event(2 * number), Self.event(2 * number + 1)]) }
        #expect(journal.log.durablePosition == Position(10))
        #expect(journal.log.committedPosition == .origin)
        let reopened = try JournalFixture.reopened(journal.crashed())
        #expect(try JournalFixture.records(reopened) == JournalFixture.records(journal.fixture))
        #expect(reopened.log.committedPosition == Position(10))
        #expect(try reopened.event(at: 8) == journal.fixture.event(at: 8))
        // The positions go on, and so do the symbols' numbers.
        try reopened.append([Event(ConversationMuted(true), in: .group("new"))])
        #expect(try reopened.event(at: 11)?.conversation == .group("new"))
    }

    @Test("I6: what is only visible is not there after a crash")
    func visibleOnly() throws {
        try journal.record([Self.event(1)])
        let prepared = try journal.stage(Self.event(2))
        #expect(try journal.log.snapshot().lastPosition() == Position(2))
        #expect(try journal.log.durableSnapshot().lastPosition() == Position(1))
        #expect(try JournalFixture.reopened(journal.crashed()).log.lastPosition == Position(1))
        #expect(journal.log.unstage(prepared))
        try journal.record([Self.event(3)])
        #expect(try JournalFixture.reopened(journal.crashed()).event(at: 2) == journal.fixture.event(at: 2))
    }

    @Test("I1, I2, I6: a crash at any time loses nothing, whatever the sizes; files are used again", arguments: 1...2)
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let journal = try JournalFixture()
        var number = 0
        for _ in 0..<60 {
            let count = 1 + random.nextIndex(12)
            // Some batches are larger than the journal's files ever are.
            let size = [20, 20, 500, 30_000, 400_000][random.nextIndex(random.nextIndex(10) == 0 ? 5 : 4)]
            try journal.record((0..<count).map { Self.event(number + $0, bytes: size) })
            number += count
            if random.nextIndex(6) == 0 { try journal.log.commit() }
            let sizes = try Journal.fileNames.map {
                try FileSystem.status(of: journal.directory + "/log/" + $0)?.size
            }
            #expect(sizes.allSatisfy { $0 ?? 0 <= Journal.greatestBytes })
            guard random.nextIndex(4) == 0 else { continue }
            let reopened = try JournalFixture.reopened(journal.crashed())
            #expect(try JournalFixture.records(reopened) == JournalFixture.records(journal.fixture))
        }
    }

    @Test("a file is used for as long as it has room, and its size doubles each time that it has none")
    func sizes() throws {
        let names = Journal.fileNames.map { journal.directory + "/log/" + $0 }
        func sizes() throws -> [Int?] { try names.map { try FileSystem.status(of: $0)?.size } }
        #expect(try sizes() == [nil, nil])
        try journal.record([Self.event(0, bytes: 40_000)])
        #expect(try sizes() == [64 << 10, nil])
        // With nothing to wait for the file is used again.
        try journal.log.commit()
        try journal.record([Self.event(1, bytes: 40_000)])
        #expect(try sizes() == [64 << 10, nil])
        try journal.record([Self.event(2, bytes: 40_000)])
        #expect(try sizes() == [64 << 10, 128 << 10])
        try journal.log.closeJournal()
        #expect(try sizes() == [nil, nil])
        #expect(try JournalFixture.reopened(journal.crashed()).log.lastPosition == Position(3))
    }

    @Test("I2: a frame of which a commit has taken the first batches is taken over from there")
    func straddling() throws {
        _ = try journal.stage(Self.event(0))
        // The commit of an older state of the files beside a frame of both batches.
        let before = journal.directory + "/before"
        try FileManager.default.copyItem(atPath: journal.directory + "/log", toPath: before)
        let committed = try JournalFixture.reopened(before)
        try committed.append([Self.event(0)])
        _ = try journal.stage(Self.event(1))
        try journal.log.makeDurable()
        let crashed = try journal.crashed { path in
            try FileSystem.remove(path + "/data.mdb")
            try FileSystem.remove(path + "/data.mark")
            try FileManager.default.copyItem(atPath: before + "/data.mdb", toPath: path + "/data.mdb")
        }
        let reopened = try JournalFixture.reopened(crashed)
        #expect(try JournalFixture.records(reopened) == JournalFixture.records(journal.fixture))
    }

    @Test(
        "I10: frames that somebody wrote into a message are not taken for frames, when their file is used again",
        .withoutKey("looks for frames in files"))
    func forged() throws {
        let forged = try Self.frame(ofStore: Array(2...17))
        // At every distance from a multiple of 64, behind what the next use of the file writes.
        let content = (0..<64).flatMap { _ in [UInt8](repeating: 0, count: 65) + forged }
        try journal.record([
            Self.event(0), Self.event(1, bytes: 2000),
            Event(
                MessageReceived(
                    serverID: "forged", sender: "eve", sentTime: Timestamp(milliseconds: 5),
                    content: MessageContent(type: .text, data: content)), in: .group("g")),
        ])
        try journal.log.commit()
        try journal.record([Self.event(2)])
        let path = try journal.crashed()
        let bytes = try FileSystem.read(path + "/journal-0", limit: 1 << 20)
        let starts = stride(from: 0, to: bytes.count, by: JournalFrame.alignment)
        #expect(starts.contains { bytes[$0...].starts(with: forged) }, "one is where frames begin")
        #expect(try JournalFixture.reopened(path).log.lastPosition == Position(4))
        let salvage = try LogSalvage(directory: journal.crashed(), storeID: nil) { _, _ in }
        #expect(salvage.records.last?.position == 4)
    }

    /// A whole frame of one event, as a store with another id would write it.
    private static func frame(ofStore id: [UInt8]) throws -> [UInt8] {
        let other = try LogFixture()
        let prepared = try other.log.prepare([event(9)], account: LogFixture.account, now: Timestamp(milliseconds: 1))
        var writer = ByteWriter()
        JournalFrame.encode([prepared], storeID: id, generation: 7, flushed: Position(9), to: &writer)
        return writer.bytes.copied
    }

    @Test("a batch that is larger than the journal's files is committed at once")
    func large() throws {
        try journal.record([Self.event(0)])
        #expect(journal.log.committedPosition == .origin)
        try journal.record((1...9).map { Self.event($0, bytes: 500_000) })
        #expect(journal.log.committedPosition == Position(10))
        try journal.record([Self.event(10)])
        #expect(journal.log.committedPosition == Position(10))
        #expect(try JournalFixture.reopened(journal.crashed()).log.lastPosition == Position(11))
    }

    @Test("a batch that waits takes about the memory of its records")
    func memory() throws {
        let prepared = try journal.stage(Self.event(0))
        #expect(prepared.batch.writer.storage.count <= 2 * prepared.batch.byteCount)
    }

    @Test("I2: what is recorded after the journal was closed is committed at once, and leaves no file")
    func afterClose() throws {
        try journal.record([Self.event(0)])
        try journal.log.closeJournal()
        try journal.record([Self.event(1)])
        #expect(journal.log.committedPosition == Position(2))
        #expect(try FileSystem.names(in: journal.directory + "/log").allSatisfy { !$0.hasPrefix("journal") })
        try journal.log.closeJournal()
    }

    @Test("the bytes that are not committed are those of the batches that wait, whatever became of the others")
    func uncommittedBytes() throws {
        var random = SplitMix64(seed: 3)
        let journal = try JournalFixture()
        var waiting: [PreparedAppend] = []
        for number in 0..<200 {
            switch random.nextIndex(6) {
            case 0:
                try journal.log.commit()
                waiting = []
            case 1: try journal.log.makeDurable()
            case 2:
                if let last = waiting.last, journal.log.unstage(last) { waiting.removeLast() }
            default: waiting.append(try journal.stage(Self.event(number, bytes: 30 * random.nextIndex(9))))
            }
            #expect(journal.log.uncommittedBytes == waiting.reduce(0) { $0 + $1.batch.byteCount })
        }
    }
}
