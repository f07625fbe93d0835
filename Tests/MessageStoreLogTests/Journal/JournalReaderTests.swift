import Foundation
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("Following the journal") struct JournalReaderTests {
    private let journal: JournalFixture

    init() throws { journal = try JournalFixture() }

    /// The positions and bytes of the events that a follower finds behind a position, up to the first that is missing.
    private static func found(_ follower: JournalReader, after last: Position) throws -> [[UInt8]] {
        var end = last
        var found: [[UInt8]] = []
        for prepared in try follower.runs().joined() where prepared.batch.lastPosition > end {
            let first = prepared.batch.firstPosition.rawValue
            guard first <= end.rawValue + 1 else { break }
            for index in 0..<prepared.batch.count where Position(first + UInt64(index)) > end {
                found.append(Array(prepared.batch.bytes(at: index)))
            }
            end = prepared.batch.lastPosition
        }
        return found
    }

    private static func event(_ number: Int) -> Event {
        Event(ConversationDraftChanged("draft \(number)"), in: .group("g\(number % 50)"))
    }

    /// What a follower reads of files.
    private final class Reads: Sendable {
        struct Count { var (calls, bytes) = (0, 0) }

        private let count = Locked(Count())

        func follower(of path: String, _ symbols: SymbolTable) -> JournalReader {
            JournalReader(
                in: path, storeID: JournalFixture.storeID, symbols: symbols, sealedBy: { JournalFixture.frameKey }
            ) {
                [count] path, offset, limit in
                let bytes = try FileSystem.read(path, offset: offset, limit: limit)
                count.withLock { $0 = Count(calls: $0.calls + 1, bytes: $0.bytes + bytes.count) }
                return bytes
            }
        }

        /// What was read since this was asked last.
        func taken() -> Count {
            count.withLock { count in
                defer { count = Count() }
                return count
            }
        }
    }

    @Test(
        "I7: what is durable is in the journal or committed, whenever one looks and however files are used",
        arguments: 1...8)
    func follows(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let journal = try JournalFixture()
        let other = try JournalFixture.reopened(journal.crashed()).log
        let follower = JournalReader(
            in: journal.directory + "/log", storeID: JournalFixture.storeID, symbols: other.symbols,
            sealedBy: { JournalFixture.frameKey })
        var number = 0
        for _ in 0..<120 {
            let count = 1 + random.nextIndex(10)
            let size = [10, 300, 8_000][random.nextIndex(3)]
            try journal.record(
                (0..<count).map {
                    Event(
                        ConversationDraftChanged(String(repeating: "x", count: size)),
                        in: .group("g\((number + $0) % 50)"))
                })
            number += count
            if random.nextIndex(5) == 0 { try journal.log.commit() }
            if random.nextIndex(40) == 0 { try journal.log.redact([Position(1)]) }
            guard random.nextIndex(3) == 0 else { continue }
            // What is committed only grows: asked for after the journal, it is not less than then.
            let all = try JournalFixture.records(journal.fixture)
            let runs = try follower.runs()
            let committed = journal.log.committedPosition
            let expected = Array(all.dropFirst(Int(committed.rawValue)))
            #expect(try Self.found(follower, after: committed) == expected)
            // Names that are not committed are known.
            for symbol in runs.joined().flatMap(\.symbols) where symbol.space == .conversation {
                #expect(try follower.content().symbols.conversation(symbol.number).symbolBytes == symbol.bytes)
            }
        }
        try journal.log.closeJournal()
        #expect(try follower.runs().isEmpty)
    }

    @Test("what was read once is not read, nor looked at, again, and much that is new is read in few pieces")
    func reads() throws {
        let journal = try JournalFixture(durability: .relaxed)
        let other = try JournalFixture.reopened(journal.crashed()).log
        let (reads, lateReads) = (Reads(), Reads())
        let path = journal.directory + "/log"
        let follower = reads.follower(of: path, other.symbols)
        let count = 300
        for number in 1...count {
            try journal.record([Self.event(number)])
            _ = reads.taken()
            let runs = try follower.runs()
            #expect(runs.map(\.count) == [number])
            // Of each file: its first header, its last one, and what may follow.
            let read = reads.taken()
            #expect(read.calls <= 6 && read.bytes <= 2 * (JournalReader.leastRead + 128), "\(read)")
        }
        let late = lateReads.follower(of: path, other.symbols)
        #expect(try late.runs().map(\.count) == [count])
        let written = try FileSystem.read(path + "/journal-0", limit: 1 << 22).reversed().drop { $0 == 0 }.count
        let all = lateReads.taken()
        #expect(written > count * 100)
        #expect(all.bytes < 3 * written && all.calls < 16, "\(all) of \(written)")
    }

    @Test("the frames behind a gap are there once what is missing is committed")
    func gap() throws {
        let other = try JournalFixture.reopened(journal.crashed()).log
        for number in 1...3 { try journal.record([Self.event(number)]) }
        // A commit takes what is only visible, while the next events are on their way to the journal.
        let prepared = try journal.log.prepare(
            [Self.event(4)], account: LogFixture.account, now: Timestamp(milliseconds: 1000))
        journal.log.stage(prepared)
        journal.log.end.withLock { $0.durable = Position(4) }
        try journal.record([Self.event(5)])
        let follower = JournalReader(
            in: journal.directory + "/log", storeID: JournalFixture.storeID, symbols: other.symbols,
            sealedBy: { JournalFixture.frameKey })
        #expect(try follower.runs().map { $0.map { $0.batch.firstPosition.rawValue } } == [[1, 2, 3], [5]])
        var older = LogSnapshot(
            transaction: try other.environment.beginRead(), other.storage.tables, symbols: other.symbols)
        try older.add(follower.runs())
        #expect(try older.lastPosition() == Position(3))
        try journal.log.commit()
        var newer = LogSnapshot(
            transaction: try journal.log.environment.beginRead(), journal.log.storage.tables,
            symbols: journal.log.symbols)
        try newer.add(follower.runs())
        #expect(try newer.lastPosition() == Position(5))
    }

    @Test("I2: a frame that was taken back, because its flush failed, is gone")
    func takenBack() throws {
        let other = try JournalFixture.reopened(journal.crashed()).log
        try journal.record([Self.event(1)])
        let before = try FileSystem.read(journal.directory + "/log/journal-0", limit: 1 << 20)
        try journal.record([Self.event(2)])
        let path = try journal.crashed()
        let follower = JournalReader(
            in: path, storeID: JournalFixture.storeID, symbols: other.symbols, sealedBy: { JournalFixture.frameKey })
        #expect(try follower.runs().map(\.count) == [2])
        #expect(try other.symbols.conversation(2) == .group("g2"))
        // The journal overwrites such a frame with zeros.
        try Data(before).write(to: URL(fileURLWithPath: path + "/journal-0"))
        #expect(try follower.runs().map(\.count) == [1])
        #expect(throws: StoreError.self) { try follower.content().symbols.conversation(2) }
    }

    @Test("I7: a read of another process has names and numbers as they were, whichever frame is taken back")
    func olderRead() throws {
        try journal.record([Self.event(1)])
        let before = try FileSystem.read(journal.directory + "/log/journal-0", limit: 1 << 20)
        try journal.record([Self.event(2)])
        let path = try journal.crashed()
        let log = try EventLog(path: path, configuration: .ofTests(access: .readOnly))
        try log.useJournal(of: JournalFixture.storeID)
        let older = try log.snapshot().symbols
        try Data(before).write(to: URL(fileURLWithPath: path + "/journal-0"))
        let newer = try log.snapshot().symbols
        // Twice: the second time, what was found is cached.
        for _ in 0..<2 {
            #expect(try older.existingNumber(of: .group("g2")) == 2)
            #expect(try older.conversation(2) == .group("g2"))
            for symbols in [newer, log.symbols] {
                #expect(try symbols.existingNumber(of: .group("g1")) == 1)
                #expect(try symbols.conversation(1) == .group("g1"))
                #expect(try symbols.existingNumber(of: .group("g2")) == nil)
                #expect(throws: StoreError.self) { try symbols.conversation(2) }
            }
        }
    }

    @Test("I7: a frame that is taken back between the look at the journal and the one at the log leaves nothing behind")
    func takenBackBetweenLooks() throws {
        func draft(_ group: String) -> Event { Event(ConversationDraftChanged("draft"), in: .group(group)) }
        let fixture = try LogFixture()
        let log = fixture.log
        let path = log.environment.path
        let journal = Journal(
            in: path, storeID: JournalFixture.storeID, flushes: false, sealedBy: JournalFixture.frameKey)
        // Never staged, so that its positions and numbers are given to others, as those of a batch whose flush failed.
        let lost = try log.prepare(
            [draft("lost"), draft("lost too")], account: LogFixture.account, now: Timestamp(milliseconds: 1000))
        #expect(journal.append([lost][...], after: .origin) == .written)
        let kept = draft("kept")
        let looks = Locked(0)
        let symbols = SymbolTable(log.storage, types: .builtIn)
        let follower = JournalReader(
            in: path, storeID: JournalFixture.storeID, symbols: symbols, sealedBy: { JournalFixture.frameKey }
        ) {
            path, offset, limit in
            // The first file was read by then.
            let isDue = path.hasSuffix("journal-1")
            let isFirst = looks.withLock { looks in
                if isDue { looks += 1 }
                return isDue && looks == 1
            }
            if isFirst {
                try journal.erase()
                try fixture.append([kept])
            }
            return try FileSystem.read(path, offset: offset, limit: limit)
        }
        log.journal.withLock { $0 = .following(follower) }
        let snapshot = try log.snapshot()
        let decoder = RecordDecoder(symbols: snapshot.symbols)
        var found: [ConversationKey] = []
        try snapshot.scan(from: Position(1), to: Position(9)) { record in
            if let key = try decoder.event(from: record).conversation { found.append(key) }
            return .proceed
        }
        #expect(found == [.group("kept")])
    }

    @Test("I2: files that are removed between any two reads cost nothing", arguments: 1...7)
    func vanishing(reads: Int) throws {
        let other = try JournalFixture.reopened(journal.crashed()).log
        for number in 1...3 { try journal.record([Self.event(number)]) }
        let path = journal.directory + "/log"
        let left = Locked(Int.max)
        let follower = JournalReader(
            in: path, storeID: JournalFixture.storeID, symbols: other.symbols, sealedBy: { JournalFixture.frameKey }
        ) {
            path, offset, limit in
            let isDue = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isDue { for name in Journal.fileNames { try FileSystem.remove(journal.directory + "/log/" + name) } }
            return try FileSystem.read(path, offset: offset, limit: limit)
        }
        if reads > 3 { #expect(try follower.runs().map(\.count) == [3]) }
        left.withLock { $0 = reads > 3 ? reads - 3 : reads }
        // A writer commits everything before it removes files: what was read before that is true all the same.
        #expect(try [[], [3]].contains(follower.runs().map(\.count)))
        left.withLock { $0 = .max }
        #expect(try follower.runs().isEmpty)
    }

    @Test("frames of another store, and what is no frame, are not found")
    func foreign() throws {
        try journal.record([Event(ConversationMuted(true), in: .group("g"))])
        let path = try journal.crashed()
        let symbols = journal.log.symbols
        let own = JournalReader(
            in: path, storeID: JournalFixture.storeID, symbols: symbols, sealedBy: { JournalFixture.frameKey })
        #expect(try own.runs().map(\.count) == [1])
        #expect(
            try JournalReader(in: path, storeID: Array(2...17), symbols: symbols, sealedBy: { JournalFixture.frameKey })
                .runs().isEmpty)
        try JournalFixture.damage(path, at: 70)
        #expect(
            try JournalReader(
                in: path, storeID: JournalFixture.storeID, symbols: symbols, sealedBy: { JournalFixture.frameKey }
            ).runs().isEmpty)
        try FileSystem.remove(path + "/journal-0")
        #expect(try own.runs().isEmpty)
    }
}

extension JournalReader {
    fileprivate func runs() throws -> [[PreparedAppend]] { try content().runs }
}
