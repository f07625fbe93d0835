import Foundation
import MessageStoreLMDB
import MessageStoreSealing
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("I10: frames that no store wrote, with right checksums") struct ForgedJournalTests {
    private let journal: JournalFixture

    init() throws { journal = try JournalFixture() }

    private static func event(_ name: String) -> Event { Event(ConversationMuted(true), in: .group(name)) }

    private static func prepare(_ names: [String], _ journal: JournalFixture) throws -> PreparedAppend {
        try journal.log.prepare(names.map(event), account: LogFixture.account, now: Timestamp(milliseconds: 1000))
    }

    /// Puts a frame behind those of a file.
    private static func forge(
        _ events: PreparedAppend, in path: String, generation: UInt64? = nil, flushed: UInt64 = 0
    ) throws {
        let frames = try JournalContent(in: path, storeID: JournalFixture.storeID, sealedBy: JournalFixture.frameKey)
            .frames
        let last = try #require(frames.last)
        var writer = ByteWriter(capacity: 1 << 12)
        JournalFrame.encode(
            [events][...], storeID: JournalFixture.storeID, generation: generation ?? last.generation,
            flushed: Position(flushed), sealedBy: JournalFixture.frameKey, to: &writer)
        let url = URL(fileURLWithPath: path + "/journal-0")
        var bytes = try Data(contentsOf: url)
        let start = frames.reduce(0) { $0 + $1.byteCount }
        bytes.replaceSubrange(start..<start + writer.count, with: writer.bytes.copied)
        try bytes.write(to: url)
    }

    private static func reader(_ path: String) throws -> LogFixture {
        try JournalFixture.reopened(path, access: .readOnly)
    }

    @Test("frames that overlap are damage for readers and writers, and what is before them can be had")
    func overlap() throws {
        try journal.record([Self.event("a")])
        let other = try Self.prepare(["x", "y", "z"], journal)
        try journal.record([Self.event("b")])
        let path = try journal.crashed { try Self.forge(other, in: $0) }
        #expect(storeError { try Self.reader(path) }?.code == .logDamaged)
        #expect(storeError { try JournalFixture.reopened(path) }?.code == .logDamaged)
        #expect(try JournalFixture.reopened(path, acceptsLoss: true).log.lastPosition == Position(2))
    }

    @Test("I7: a read beside a writer never has a position twice")
    func overlappingRuns() throws {
        let first = try Self.prepare(["a", "b", "c"], journal)
        try journal.record([Self.event("a"), Self.event("b")])
        let second = try Self.prepare(["x", "y"], journal)
        try journal.log.commit()
        var snapshot = try journal.log.snapshot()
        try snapshot.add([[first], [second]])
        #expect(try snapshot.lastPosition() == Position(3))
    }

    @Test("names cannot replace those of the log, nor leave numbers out", arguments: 0..<6)
    func symbols(kind: Int) throws {
        try journal.record([Self.event("a")])
        try journal.log.commit()
        try journal.record([Self.event("a")])
        let records = try Self.prepare(["a"], journal)
        let bytes = ConversationKey.group("evil").symbolBytes
        let symbol: PendingSymbols.Entry =
            switch kind {
            case 0: .init(space: .user, number: 1, bytes: Array("evil".utf8))
            case 1: .init(space: .store, number: 1, bytes: Array(2...17))
            case 2: .init(space: .conversation, number: 1, bytes: bytes)
            case 3: .init(space: .conversation, number: 0, bytes: bytes)
            case 4: .init(space: .conversation, number: .max, bytes: bytes)
            default: .init(space: .conversation, number: 2, bytes: ConversationKey.group("a").symbolBytes)
            }
        let bytesOfRecords = RawSpan(_unsafeBytes: records.batch.bytes)
        guard let batch = EncodedBatch(records: bytesOfRecords, from: records.batch.firstPosition) else {
            Issue.record("the records are not intact")
            return
        }
        let forged = PreparedAppend(batch, [symbol])
        let path = try journal.crashed { try Self.forge(forged, in: $0) }
        #expect(storeError { try Self.reader(path) }?.code == .logDamaged)
        #expect(storeError { try JournalFixture.reopened(path) }?.position == Position(3))
        let kept = try JournalFixture.reopened(path, acceptsLoss: true).log
        #expect(kept.lastPosition == Position(2))
        #expect(try kept.symbols.user(1) == LogFixture.account)
        #expect(try kept.symbols.conversation(1) == .group("a"))
    }

    @Test("a frame of another use of the file is none, for readers and writers")
    func generation() throws {
        try journal.record([Self.event("a")])
        let next = try Self.prepare(["b"], journal)
        let path = try journal.crashed { try Self.forge(next, in: $0, generation: 7) }
        #expect(try Self.reader(path).log.lastPosition == Position(1))
        #expect(try JournalFixture.reopened(path).log.lastPosition == Position(1))
    }

    @Test("a file full of beginnings of frames is damage that is found at once", .timeLimit(.minutes(30)))
    func beginnings() throws {
        try journal.record([Self.event("a")])
        let path = try journal.crashed { path in
            let url = URL(fileURLWithPath: path + "/journal-0")
            let frame = try FileSystem.read(path + "/journal-0", limit: JournalFrame.Layout.headerSize)
            var bytes = try Data(contentsOf: url)
            let start = try #require(
                JournalContent(in: path, storeID: JournalFixture.storeID, sealedBy: JournalFixture.frameKey).frames
                    .first?
                    .byteCount)
            while bytes.count < Journal.greatestBytes { bytes.append(0) }
            for offset in stride(from: start, to: bytes.count, by: JournalFrame.alignment) {
                var header = frame
                // No symbols, and records up to the file's end.
                let trailer = LogFixture.key == nil ? 0 : SecretKey.sealSize
                let rest = UInt64(max(0, bytes.count - offset - JournalFrame.Layout.headerSize - trailer)) << 32
                withUnsafeBytes(of: rest.littleEndian) {
                    header.replaceSubrange(JournalFrame.Layout.symbolBytes..<JournalFrame.Layout.headerSize, with: $0)
                }
                bytes.replaceSubrange(offset..<offset + header.count, with: header)
            }
            try bytes.write(to: url)
        }
        let time = ContinuousClock().measure {
            #expect(storeError { try JournalFixture.reopened(path) }?.code == .logDamaged)
        }
        // Some 130 GB are hashed where nothing limits that.
        #expect(time < .seconds(5))
        #expect(try JournalFixture.reopened(path, acceptsLoss: true).log.lastPosition == Position(1))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")).count > 0)
    }
}
