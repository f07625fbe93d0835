import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("What is known of symbols without a look into the log") struct SymbolCacheTests {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test("more symbols than the cache holds keep their numbers, committed or not", arguments: [true, false])
    func manySymbols(areCommitted: Bool) throws {
        let count = SymbolTable.cacheLimit + 1000
        let users = (0..<count).map { UserID("u\($0)") }
        let prepared = try prepare([Event(ProfileInvalidated(users))], fixture)
        fixture.log.stage(prepared)
        if areCommitted { try fixture.log.commit() }
        for _ in 0..<2 {
            for index in stride(from: 0, to: count, by: 7) {
                let number = UInt32(index + 2)
                guard try fixture.log.symbols.user(number) == users[index],
                    try fixture.log.symbols.existingNumber(of: users[index]) == number
                else {
                    Issue.record("user \(index)")
                    return
                }
            }
        }
    }

    @Test("names that are used stay known, and few others are kept, however many there are")
    func usedNames() {
        var cache = SymbolCache<UserID>()
        _ = cache.remember("used", hash: UserID("used").symbolHash, number: 1)
        let last = UInt32(3 * SymbolTable.cacheLimit)
        for number in 2...last {
            // Numbers as bits that are spread spare the hashing of names.
            _ = cache.remember(UserID("\(number)"), hash: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, number: number)
            if number % 1000 == 0, cache.value(of: 1) != "used" { Issue.record("forgotten at \(number)") }
        }
        #expect((1...last).count { cache.known($0) != nil } <= SymbolTable.cacheLimit + 1)
    }

    @Test("after the first name that is new, others ask no table")
    func allKnown() throws {
        try makeLog(path, ["a", "b"])
        let log = try EventLog(path: path, configuration: .ofTests(access: .readWrite))
        #expect(try log.symbols.existingNumber(of: .group("c")) == nil)
        // What is not asked for is not missed.
        try log.environment.write { transaction in
            for (name, number) in [("a", UInt8(1)), ("b", 2)] {
                let symbol = ConversationKey.group(name).symbolBytes
                try transaction.remove(
                    log.storage.tables.numberKey(.conversation, symbol).span.bytes,
                    in: log.storage.tables.numbers)
                try transaction.remove([1, 0, 0, 0, number].span.bytes, in: log.storage.tables.names)
            }
        }
        #expect(try log.symbols.existingNumber(of: .group("a")) == 1)
        #expect(try log.symbols.conversation(2) == .group("b"))
        #expect(try log.symbols.existingNumber(of: .group("d")) == nil)
    }

    @Test("a question about a conversation that no event can have gives the one with its bytes no second number")
    func equalBytes() throws {
        try makeLog(path, ["x", "y"])
        let fixture = LogFixture(log: try EventLog(path: path, configuration: .ofTests(access: .readWrite)))
        _ = try fixture.log.symbols.existingNumber(of: ConversationKey(.group, "x", channel: ""))
        try fixture.append([pinned("z"), pinned("x"), pinned("y")])
        #expect(try fixture.scan { $0.conversation } == [1, 2, 3, 1, 2])
        #expect(try fixture.log.symbols.compareTables() == 3)
    }

    @Test("what is taken back is known neither by name nor by number, and what else waits is known by both")
    func takingBack() throws {
        fixture.log.stage(try prepare([pinned("a")], fixture))
        let drops = fixture.log.symbols.withCache(of: UserID.self) { $0.drops }
        let users = (0..<20_000).map { UserID("u\($0)") }
        let prepared = try prepare([Event(ProfileInvalidated(users))], fixture)
        fixture.log.stage(prepared)
        let number = try #require(try fixture.log.symbols.existingNumber(of: "u7" as UserID))
        #expect(fixture.log.unstage(prepared))
        #expect(storeError { try fixture.log.symbols.user(number) }?.code == .viewsDamaged)
        #expect(fixture.log.symbols.withCache(of: UserID.self) { $0.drops } == drops + 1)
        #expect(try fixture.log.symbols.existingNumber(of: "u7" as UserID) == nil)
        #expect(try fixture.log.symbols.existingNumber(of: .group("a")) == 1)
        #expect(try fixture.log.symbols.conversation(1) == .group("a"))
        // Its number is given to others.
        let others = (0..<20).map { UserID("v\($0)") }
        fixture.log.stage(try prepare([Event(ProfileInvalidated(others))], fixture))
        let other = try #require(try others.first { try fixture.log.symbols.existingNumber(of: $0) == number })
        #expect(try fixture.log.symbols.user(number) == other)
    }

    @Test(
        "I7: a read finds names and numbers as they were, whatever is taken back and recorded since",
        arguments: [true, false])
    func olderRead(isCommitted: Bool) throws {
        let log = fixture.log
        try fixture.append([pinned("known")])
        let prepared = try prepare([pinned("a"), pinned("b")], fixture)
        log.stage(prepared)
        let before = try log.snapshot().symbols
        #expect(log.unstage(prepared))
        let between = try log.snapshot().symbols
        // Of those that were taken back, one gets the other's number, and one gets a new one.
        log.stage(try prepare([pinned("b"), pinned("c"), pinned("a")], fixture))
        if isCommitted { try log.commit() }
        let after = try log.snapshot().symbols
        // Twice: the second time, everything is cached.
        for _ in 0..<2 {
            #expect(try numbers(before) == ["known": 1, "a": 2, "b": 3])
            #expect(try ids(1...3, before) == ["known", "a", "b"])
            for symbols in [between, after] {
                #expect(try numbers(symbols) == ["known": 1, "b": 2, "c": 3, "a": 4])
                #expect(try ids(1...4, symbols) == ["known", "b", "c", "a"])
            }
        }
    }

    @Test("a replay with other events that began before events were taken back knows what is recorded since")
    func rewriting() throws {
        let log = fixture.log
        let rewriting = LogRewriting(of: log, account: LogFixture.account) { _, _ in nil }
        let rewritten = EventLog(log, rewritten: rewriting)
        let prepared = try prepare([pinned("a")], fixture)
        log.stage(prepared)
        #expect(log.unstage(prepared))
        log.stage(try prepare([pinned("b")], fixture))
        #expect(try numbers(rewritten.symbols) == ["b": 1])
        #expect(try ids(1...1, rewritten.symbols) == ["b"])
    }

    @Test("a log that another process may write is asked for each name")
    func follower() throws {
        try makeLog(path, ["a"])
        let log = try EventLog(path: path, configuration: .ofTests(access: .readOnly))
        #expect(try log.symbols.existingNumber(of: .group("b")) == nil)
        #expect(log.symbols.withCache(of: ConversationKey.self) { $0.isComplete } == false)
    }

    @Test("names whose hashes are equal have numbers of their own")
    func equalHashes() {
        var cache = SymbolCache<UserID>()
        for number in 1...9 as ClosedRange<UInt32> { cache.insert(UserID("u\(number)"), hash: 7, number: number) }
        for number in 1...9 as ClosedRange<UInt32> {
            #expect(cache.number(of: UserID("u\(number)"), hash: 7) == number)
            #expect(cache.value(of: number) == UserID("u\(number)"))
        }
        #expect(cache.number(of: "u10", hash: 7) == nil)
    }

    /// Against a dictionary: batches that are committed, taken back, or wait, with names known and new, and openings.
    @Test("I1: numbers are dense, in the order of first use, and never change", arguments: UInt64(1)...12)
    func model(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var numbers: [String: UInt32] = [:]
        try makeLog(path, [])
        for _ in 0..<6 { try run(path, &random, &numbers) }
        let log = try EventLog(path: path, configuration: .ofTests(access: .readWrite))
        #expect(try LogFixture(log: log).scan { $0.conversation }.max() ?? 0 == numbers.count)
        #expect(try log.symbols.compareTables() == numbers.count)
    }

    /// From an opening to the next.
    private func run(_ path: String, _ random: inout SplitMix64, _ numbers: inout [String: UInt32]) throws {
        let fixture = LogFixture(log: try EventLog(path: path, configuration: .ofTests(access: .readWrite)))
        for _ in 0..<10 {
            let names = (0..<1 + random.nextIndex(5)).map { _ in "c\(random.nextIndex(120))" }
            let prepared = try prepare(names.map(pinned), fixture)
            fixture.log.stage(prepared)
            if random.chance(0.3) {
                #expect(fixture.log.unstage(prepared))
            } else {
                for name in names where numbers[name] == nil { numbers[name] = UInt32(numbers.count + 1) }
                if random.chance(0.5) { try fixture.log.commit() }
            }
            for index in 0..<120 {
                let found = try fixture.log.symbols.existingNumber(of: .group("c\(index)"))
                #expect(found == numbers["c\(index)"])
            }
            for (name, number) in numbers {
                #expect(try fixture.log.symbols.conversation(number) == .group(name))
            }
        }
        try fixture.log.commit()
    }

    private func makeLog(_ path: String, _ conversations: [String]) throws {
        let log = try EventLog(path: path, configuration: .ofTests(access: .create))
        if !conversations.isEmpty { try LogFixture(log: log).append(conversations.map(pinned)) }
    }

    /// Which of some conversations are known, and by which numbers.
    private func numbers(_ symbols: SymbolTable) throws -> [String: UInt32] {
        var numbers: [String: UInt32] = [:]
        for id in ["known", "a", "b", "c", "d"] { numbers[id] = try symbols.existingNumber(of: .group(id)) }
        return numbers
    }

    private func ids(_ numbers: ClosedRange<UInt32>, _ symbols: SymbolTable) throws -> [String] {
        try numbers.map { try symbols.conversation($0).id }
    }

    private func pinned(_ id: String) -> Event { Event(ConversationPinned(), in: .group(id)) }

    private func prepare(_ events: [Event], _ fixture: LogFixture) throws -> PreparedAppend {
        try fixture.log.prepare(events, account: LogFixture.account, now: Timestamp(milliseconds: 1000))
    }
}
