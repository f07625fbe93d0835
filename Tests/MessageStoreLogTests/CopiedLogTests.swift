import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("Copies of a log") struct CopiedLogTests {
    private static let digests: [UInt64: [UInt64]] = [
        1: [0x5D37D1A70230B5C6, 0x0B12043BB491FF8E, 0x356DE9BBAECD996E, 0x386D629090C4A4D0, 0xD271A8EB3026B16F],
        2: [0xCAB11DFCEEDB9474, 0x4D80F3647859EACF, 0x16D1A929515A83C1, 0x62719F1716C40EC9, 0xE60E67142FB9D696],
        3: [0x5163E235ACD06755, 0xE7357AF2B6AE3337, 0x2F703B554261DFB3, 0x0D7201E95486A0C4, 0x229BACB0BCAF03F0],
    ]

    @Test("every copy of a log has the bytes that it always had", .withoutKey("compares bytes"), arguments: [1, 2, 3])
    func bytes(seed: UInt64) throws {
        let place = TemporaryDirectory()
        let (log, backup, restored) = (try place.log("log"), try place.log("backup"), try place.log("restored"))
        var source = try RandomLog(log, seed: seed)
        try source.append(commits: 120, erasing: "u2")
        let last = try log.copy(to: backup) { _, _ in }
        try backup.note(storeID: id(2), after: log.lineage(storeID: id(1)), last: last)
        try source.append(commits: 60, erasing: "u1", alsoIDs: true)
        let segment = place.path + "/segment"
        try FileSystem.create(segment) { write in
            _ = try log.writeSegment(after: Position(last.rawValue - 3), storeID: id(1), write, progress: { _, _ in })
        }
        try source.append(commits: 10, erasing: "u4")
        let ledger = try log.erasureLedger(storeID: id(1))
        var lineage = try backup.lineage(storeID: id(2))
        var reached = try backup.copy(to: restored, erasing: ledger.limited(to: lineage)) { _, _ in }
        (reached, lineage) = try restored.append(
            segment: segment, after: reached, of: lineage, erasing: ledger, progress: { _, _ in })
        try restored.note(storeID: id(3), after: lineage, last: reached)
        try restored.eraseIDs(by: ledger.limited(to: lineage))
        for _ in 1...2 { try source.cut() }
        let (whole, salvaged, compacted) = (try place.log("whole"), try place.log("salvaged"), try digest(of: log))
        _ = try log.copy(to: whole) { _, _ in }
        #expect(try digest(of: whole) == compacted)
        try source.salvage(to: salvaged)
        // Before them are a random number, and the checksum of all.
        let written = try FileSystem.read(segment, limit: 1 << 24).dropFirst(40)
        let copies =
            [XXH64.hash(Array(written).span.bytes), compacted] + (try [backup, restored, salvaged].map(digest))
        #expect(copies == Self.digests[seed], "\(seed): \(copies.map { "0x" + String($0, radix: 16) })")
    }

    @Test(
        "I22: a copy of a log that lost a name, or whose name is damaged, fails",
        arguments: [(2, true), (2, false), (4, true), (4, false)] as [(UInt32, Bool)])
    func lostName(number: UInt32, isMissing: Bool) throws {
        let place = TemporaryDirectory()
        let log = try place.log("log")
        try LogFixture(log: log).append((0..<4).map { Event(ConversationPinned(), in: .group("g\($0)")) })
        let (key, table) = (SymbolTable.key(.conversation, number), log.storage.tables.names)
        try log.environment.write { transaction in
            if isMissing {
                try transaction.remove(key.span.bytes, in: table)
            } else {
                try transaction.put([UInt8](repeating: 1, count: 12).span.bytes, for: key.span.bytes, in: table)
            }
        }
        let copy = try place.log("copy")
        let error = storeError { try log.copy(to: copy) { _, _ in } }
        #expect(error?.code == .logDamaged)
    }

    /// A hash of all entries of a log's tables.
    private func digest(of log: EventLog) throws -> UInt64 {
        var digest = ByteWriter()
        for name in ["records", "symbolNames", "symbolNumbers", "subscriptions", "owed", "gaps", "cutIdentities"] {
            guard let table = try? log.environment.openTables([name], create: false).first else { continue }
            try log.environment.read { transaction in
                var cursor = try transaction.cursor(in: table)
                while try cursor.move(.next) {
                    digest.append(cursor.key)
                    digest.append(cursor.storedValue)
                }
            }
        }
        return XXH64.hash(digest.bytes)
    }
}

private func id(_ store: UInt8) -> [UInt8] { [UInt8](repeating: store, count: 16) }

extension TemporaryDirectory {
    fileprivate func log(_ name: String) throws -> EventLog {
        try FileSystem.createDirectory(path + "/" + name)
        return try EventLog(path: path + "/" + name, configuration: .ofTests(access: .create, mapSize: 1 << 26))
    }
}

/// A log of random events, of which some are redacted, erased and cut off.
private struct RandomLog {
    private let log: EventLog
    private let fixture: LogFixture
    private var random: SplitMix64
    private var (now, number) = (Timestamp(milliseconds: 1_700_000_000_000), 0)
    private var last: Int { Int(log.lastPosition.rawValue) }

    init(_ log: EventLog, seed: UInt64) throws {
        (self.log, fixture, random) = (log, LogFixture(log: log), SplitMix64(seed: seed))
        try log.symbols.enter(account: LogFixture.account, storeID: id(1))
        let type = EventType(rawValue: 0x9001)
        try log.describe([.init(type: type, name: "com.example.a", version: 1, scope: .account, fields: [])])
        // The secret of erased ids is random elsewhere.
        let erased = id(9) + ErasedIDs.row(.user, 999, [1], in: id(9))
        var entry = ByteWriter()
        entry.append(SymbolTable.checksum(.erased, 1, erased.span.bytes))
        entry.append(erased)
        try log.environment.write {
            try $0.put(entry.bytes, for: SymbolTable.key(.erased, 1).span.bytes, in: log.storage.tables.names)
        }
    }

    /// Events of nine users, now and then by a clock that was set back.
    private mutating func events() -> [Event] {
        now = Timestamp(milliseconds: now.milliseconds + (random.chance(0.1) ? -5_000 : 1_000))
        return (0...random.nextIndex(9)).map { _ in
            number += 1
            let (user, id) = (UserID("u\(random.nextIndex(9))"), ServerMessageID("m\(number)"))
            let group = ConversationKey.group("g\(random.nextIndex(4 + number / 100))")
            let text = String(repeating: "word \(number) ", count: random.chance(0.05) ? 500 : 3)
            return switch random.nextIndex(8) {
            case 0: Event(ProfilesFetched([Profile(id: user, name: "n\(number)")]))
            case 1: Event(MessageRecalled(.server("m\(number / 2)"), by: user, reason: "why"), in: group)
            default: .received(id, from: user, in: group, at: now, content: .text(text))
            }
        }
    }

    /// Records events, redacts some of them, and erases the values of a user.
    mutating func append(commits: Int, erasing user: UserID, alsoIDs: Bool = false) throws {
        for _ in 0..<commits { try fixture.append(events(), now: now.milliseconds) }
        try log.setSubscriptionPosition(Position(UInt64(last / 2)), of: "half of \(last)")
        let messages = try fixture.scan { $0.type == .messageReceived ? $0.position : nil }.compactMap(\.self)
        try log.redact((0..<20).map { _ in messages[random.nextIndex(messages.count)] }, now: now)
        let erasure = ValuesErased(users: [user], alsoMessages: true, conversations: [], events: [], alsoIDs: alsoIDs)
        let erasing = try fixture.append([Event(erasure)], now: now.milliseconds)
        _ = try log.erase(by: erasing, blanking: [], now: now)
        try fixture.append([Event(HistoryCleared(erases: true), in: .group("g1"))], now: now.milliseconds)
    }

    /// Cuts some records off while a batch is not committed.
    mutating func cut() throws {
        var (cut, chance) = (LogCut(cause: log.lastPosition), random)
        try log.snapshot().scan(from: Position(1), to: Position(UInt64(last - 1))) { record in
            if chance.chance(0.2) { cut.add(record) }
            return .proceed
        }
        random = chance
        log.stage(try log.prepare(events(), account: LogFixture.account, now: now))
        try log.compact(cuttingOff: cut, alone: { try $0() }, progress: { _, _ in })
    }

    /// Salvages the log, after some records and names were lost.
    mutating func salvage(to new: EventLog) throws {
        for _ in 0..<40 { try fixture.overwrite(UInt64(1 + random.nextIndex(last - 1))) { $0 = nil } }
        let tables = log.storage.tables
        try log.environment.write {
            try $0.remove(SymbolTable.key(.conversation, 3).span.bytes, in: tables.names)
            try $0.remove(SymbolTable.key(.user, 4).span.bytes, in: tables.names)
            try $0.remove(tables.numberKey(.user, Array("u3".utf8)).span.bytes, in: tables.numbers)
        }
        let found = try LogSalvage(directory: log.environment.path, storeID: nil) { _, _ in }
        #expect(try found.write(to: new, account: LogFixture.account, storeID: id(4)).lostCount > 0)
    }
}
