import Foundation
import MessageStoreLMDB
import MessageStoreSealing
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("Sealed logs", .enabled(if: AuthenticatedCipher.isBuilt), .serialized)
struct SealedLogTests {
    private static let marker = "MARKER"
    private static var place: ConversationKey { .group("g-\(marker)") }

    /// Events with a marker in what they say and in what they name.
    private static func events(_ number: Int) -> [Event] {
        let user = UserID("u-\(marker)-\(number % 5)")
        let id = ServerMessageID("s-\(marker)-\(number)")
        let content = MessageContent(
            type: ContentType("type-\(marker)"), text: "\(marker) 你好 \(number)", data: Array(marker.utf8))
        return [
            .received(id, from: user, in: place, at: Timestamp(milliseconds: 1000), content: content),
            Event(ConversationDraftChanged("draft \(marker)"), in: .single("other-\(marker)")),
            Event(ProfilesFetched([Profile(id: user, name: "name \(marker)")])),
            Event(MessageRecalled(.server(id), by: user, reason: "reason \(marker)"), in: place),
            Event(ConversationTagged(add: ["tag-\(marker)"]), in: place),
        ]
    }

    /// Files of a directory whose bytes have the marker.
    private static func files(withMarkerIn path: String) throws -> Set<String> {
        let data = Data(marker.utf8)
        return try Set(
            FileSystem.names(in: path).filter {
                try Data(contentsOf: URL(fileURLWithPath: path + "/" + $0)).range(of: data) != nil
            })
    }

    @Test(
        "no file of a sealed log has a word or an id in clear, at any moment; those of a clear one have",
        arguments: [true, false])
    func markers(isSealed: Bool) throws {
        let journal = try JournalFixture(key: isSealed ? testKey(1) : nil)
        let path = journal.directory + "/log"
        var found: Set<String> = []
        func look() throws { found.formUnion(try Self.files(withMarkerIn: path)) }
        for number in 0..<30 {
            try journal.record(Self.events(number))
            if number % 7 == 3 { try look() }
            if number % 7 == 5 { try journal.log.commit() }
        }
        try look()
        try journal.log.commit()
        try journal.log.redact(Position(1))
        try look()
        try journal.log.compact(cuttingOff: nil, alone: { try $0() }, progress: { _, _ in try look() })
        try journal.record(Self.events(31))
        try look()
        #expect(found == (isSealed ? [] : ["data.mdb", "journal-0"]))
        let events = (1...155).compactMap { try? journal.fixture.event(at: $0) }
        let expected = (0..<30).flatMap(Self.events) + Self.events(31)
        #expect(
            Array(events.dropFirst().map { AnyHashable($0.payload) })
                == expected.dropFirst().map { AnyHashable($0.payload) })
    }

    @Test("a log that is opened again with its key has its events; with another key or none it has not")
    func keys() throws {
        let journal = try JournalFixture(key: testKey(1))
        for number in 0..<4 { try journal.record(Self.events(number)) }
        try journal.log.commit()
        try journal.record(Self.events(4))
        let path = try journal.crashed()
        for access in [Environment.Configuration.Access.readOnly, .readWrite] {
            let opened = try JournalFixture.reopened(path, key: testKey(1), access: access)
            #expect(try opened.scan { $0.bytes.copied } == journal.fixture.scan { $0.bytes.copied })
            #expect(
                try opened.event(at: 21)?.payload as? MessageReceived == Self.events(4)[0].payload as? MessageReceived)
        }
        for key in [try testKey(2), nil] {
            #expect(throws: (any Error).self) {
                let opened = try JournalFixture.reopened(try journal.crashed(), key: key)
                _ = try opened.event(at: 1)
            }
        }
    }

    @Test("a record in another one's place is a forgery at its position, and the others are there")
    func swappedRecords() throws {
        let journal = try JournalFixture(key: testKey(1))
        for number in 0..<4 { try journal.record(Self.events(number)) }
        try journal.log.commit()
        let stored = try Self.stored(journal)
        for (from, to) in [(1, 2), (6, 1), (11, 16)] as [(UInt64, UInt64)] {
            let path = try journal.crashed()
            // With the position and the checksum of the place.
            var bytes = try #require(stored[from])
            bytes.replaceSubrange(8..<16, with: withUnsafeBytes(of: to.littleEndian) { Array($0) })
            Self.renewChecksum(of: &bytes)
            try Self.put(bytes, at: to, in: path)
            let opened = try JournalFixture.reopened(path, key: testKey(1))
            let error = storeError { try opened.event(at: to) }
            #expect(error?.code == .logForged && error?.position == Position(to))
            for position in 1...20 where position != to {
                #expect(try opened.bytes(at: UInt64(position)) == journal.fixture.bytes(at: UInt64(position)))
            }
            var scanned: [Position] = []
            let scan = storeError {
                try opened.log.snapshot().scan(from: Position(1), to: Position(20)) { record in
                    scanned.append(record.position)
                    return .proceed
                }
            }
            #expect(scan?.position == Position(to) && scanned.count == Int(to) - 1)
        }
    }

    @Test("each bit of a stored record belongs to it, and its checksum is right without a key")
    func bits() throws {
        let journal = try JournalFixture(key: testKey(1))
        try journal.record(Self.events(0))
        try journal.log.commit()
        let bytes = try #require(try Self.stored(journal)[1])
        let isIntact = RecordView(wellFormed: bytes.span.bytes).isIntact(at: Position(1))
        #expect(isIntact)
        let path = try journal.crashed()
        for bit in stride(from: 64, to: 8 * bytes.count, by: 3) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Somebody forges a record; an accident leaves the checksum as it is.
            let isForged = bit % 2 == 0
            if isForged { Self.renewChecksum(of: &changed) }
            try Self.put(changed, at: 1, in: path)
            let opened = try JournalFixture.reopened(path, key: testKey(1))
            let error = storeError { try opened.event(at: 1) }
            let code: StoreError.Code = isForged ? .logForged : .recordDamaged
            #expect(error?.code == code && error?.position == Position(1), "\(bit)")
            #expect(try opened.bytes(at: 2) == journal.fixture.bytes(at: 2))
        }
    }

    @Test("a scan for some types opens no record of another one")
    func selection() throws {
        let journal = try JournalFixture(key: testKey(1))
        for number in 0..<4 { try journal.record(Self.events(number)) }
        try journal.log.commit()
        let path = try journal.crashed()
        var bytes = try #require(try Self.stored(journal)[2])
        bytes[70] ^= 1
        try Self.put(bytes, at: 2, in: path)
        let opened = try JournalFixture.reopened(path, key: testKey(1))
        func count(_ type: EventType) throws -> Int {
            var count = 0
            try opened.log.snapshot().scan(from: Position(1), to: Position(20), where: { $0.type == type }) { record in
                count += record.content.byteCount > 0 ? 1 : 0
                return .proceed
            }
            return count
        }
        #expect(try count(.messageReceived) == 4)
        #expect(storeError { try count(.conversationDraftChanged) }?.position == Position(2))
    }

    @Test(
        "a frame is whole, cut off or refused: a changed bit, a clear one, one of another log or another place in the journal"
    )
    func frames() throws {
        let journal = try JournalFixture(key: testKey(1))
        for number in 0..<3 { try journal.record(Self.events(number)) }
        let file = try FileSystem.read(journal.directory + "/log/journal-0", limit: 1 << 20)
        let key = JournalFrame.key(of: try testKey(1))
        let content = try JournalContent(
            in: journal.directory + "/log", storeID: JournalFixture.storeID, sealedBy: key)
        let sizes = content.frames.map(\.byteCount)
        #expect(content.frames.map(\.first) == [Position(1), Position(6), Position(11)])
        let second = Array(file[sizes[0]..<sizes[0] + sizes[1]])
        for bit in stride(from: 0, to: 8 * 64, by: 1) + stride(from: 8 * 64, to: 8 * (sizes[1] - 64), by: 31) {
            var frame = second
            frame[bit / 8] ^= 1 << UInt8(bit % 8)
            let isWhole = try JournalFrame.read(frame.span.bytes, key) != nil
            #expect(!isWhole, "a changed bit is a torn end: \(bit)")
            guard let header = JournalFrame.Header(frame.span.bytes), header.byteCount <= frame.count, bit >= 128 else {
                continue
            }
            let checksum = XXH64.hash(
                Array(frame[16..<header.byteCount]).span.bytes, seed: 0x4D53_4A52_4E4C_0000)
            frame.replaceSubrange(8..<16, with: withUnsafeBytes(of: checksum.littleEndian) { Array($0) })
            let error = storeError { try JournalFrame.read(frame.span.bytes, key) }
            #expect(
                error?.code == .logDamaged || header.first == .origin || header.first.rawValue >= .max >> 1, "\(bit)")
        }
        #expect(
            storeError { try JournalFrame.read(second.span.bytes, JournalFrame.key(of: testKey(2))) }?.code
                == .logDamaged)
        let clear = try JournalFixture(key: nil)
        try clear.record(Self.events(0))
        let bytes = try FileSystem.read(clear.directory + "/log/journal-0", limit: 1 << 20)
        #expect(JournalFrame(bytes.span.bytes) != nil)
        #expect(storeError { try JournalFrame.read(bytes.span.bytes, key) }?.code == .logDamaged)
        #expect(JournalFrame(second.span.bytes) == nil)
    }

    @Test(
        "no nonce of a log comes twice under a key: not after kills, events taken back, compactions and a directory set back"
    )
    func nonces() throws {
        let ledger = NonceLedger()
        let journal = try JournalFixture(key: ledger.key(1))
        var (path, random, earlier) = (try journal.crashed(), SplitMix64(seed: 5), try journal.crashed())
        for round in 0..<60 {
            let opened = try JournalFixture.reopened(path, key: ledger.key(1))
            for number in 0...random.nextIndex(4) {
                opened.log.stage(
                    try opened.log.prepare(
                        Self.events(round * 5 + number), account: LogFixture.account, now: Timestamp(milliseconds: 1000)
                    ))
                if random.chance(0.7) { try opened.log.makeDurable() }
                if random.chance(0.2) { try opened.log.commit() }
            }
            if random.chance(0.2) {
                try opened.log.commit()
                try opened.log.compact(cuttingOff: nil, alone: { try $0() }, progress: { _, _ in })
            }
            // As a kill leaves the files; the process that wrote them goes on and is lost.
            let killed = journal.directory + "/killed-\(round)"
            try FileManager.default.copyItem(atPath: opened.log.environment.path, toPath: killed)
            try opened.log.makeDurable()
            if random.chance(0.2) { earlier = killed }
            path = random.chance(0.2) ? journal.directory + "/back-\(round)" : killed
            if path != killed { try FileManager.default.copyItem(atPath: earlier, toPath: path) }
        }
        #expect(ledger.repeats == 0)
        #expect(ledger.seals > 500, "the list sees what is sealed")
    }

    /// The records of a log as they are in the file, by position.
    private static func stored(_ journal: JournalFixture) throws -> [UInt64: [UInt8]] {
        try journal.log.environment.read { transaction in
            var stored: [UInt64: [UInt8]] = [:]
            var cursor = try transaction.cursor(in: journal.log.storage.tables.records)
            while try cursor.move(.next) {
                stored[cursor.key.loadBigEndian(at: 0, as: UInt64.self) ?? 0] = cursor.storedValue.copied
            }
            return stored
        }
    }

    private static func renewChecksum(of record: inout [UInt8]) {
        let checksum = RecordView.checksum(of: record.span.bytes)
        record.replaceSubrange(0..<8, with: withUnsafeBytes(of: checksum.littleEndian) { Array($0) })
    }

    /// Puts the stored bytes of a record, as somebody does who changes the file.
    private static func put(_ bytes: [UInt8], at position: UInt64, in path: String) throws {
        var configuration = Environment.Configuration(access: .readWrite, mapSize: 1 << 26)
        configuration.key = try testKey(1)
        let environment = try Environment(path: path, configuration: configuration)
        // Without a form the table has stored bytes.
        let table = try environment.openTables(["records"], create: false)[0]
        try environment.write { try $0.put(bytes.span.bytes, for: position, in: table) }
    }
}

private func + (first: StrideTo<Int>, second: StrideTo<Int>) -> [Int] { Array(first) + Array(second) }
