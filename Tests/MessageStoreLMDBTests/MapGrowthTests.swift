import MessageStoreLMDB
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Growth of the map` {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test("I6: a full map grows and the whole batch is tried again", arguments: [64 << 10, 256 << 10, 1 << 20])
    func growsAndRetries(mapSize: Int) throws {
        let fixture = try Fixture.create(path, mapSize: mapSize)
        let environment = fixture.environment
        let value = [UInt8](repeating: 7, count: 300)
        let readers = Repeaters(3) {
            let rows = try fixture.environment.read { try $0.statistics(of: fixture.table).entries }
            guard rows % 100 == 0 else { throw TornBatch(rows: rows) }
        }
        var runs = 0
        let batches = 160
        for batch in 0..<batches {
            try environment.write { transaction in
                runs += 1
                for number in batch * 100..<batch * 100 + 100 {
                    try transaction.put(value.span.bytes, for: key(number).span.bytes, in: fixture.table, mode: .append)
                }
            }
        }
        #expect(try readers.stop() > 0)
        #expect(runs > batches)
        #expect(environment.mapSize > mapSize)
        #expect(try fixture.rows().map(\.key) == (0..<batches * 100).map(key))
    }

    @Test func `several writers may find the map full at once`() throws {
        let fixture = try Fixture.create(path, mapSize: 64 << 10)
        let next = Locked(0)
        let writers = Repeaters(4) {
            let number = next.signal { next in
                defer { next += 1 }
                return next
            }
            guard number < 400 else { return }
            try fixture.put(key(number), [UInt8](repeating: 1, count: 5000))
        }
        next.waitUntil({ $0 >= 400 }, then: { _ in })
        _ = try writers.stop()
        #expect(try fixture.rows().count == 400)
    }

    @Test func `size, statistics and readers can be asked for while the map grows`() throws {
        let fixture = try Fixture.create(path, mapSize: 64 << 10)
        let environment = fixture.environment
        let asked = Locked(0)
        let asking = Repeaters(3) {
            #expect(environment.mapSize >= 64 << 10)
            #expect(try environment.statistics().mapSize >= 64 << 10)
            _ = try environment.readerLag()
            asked.signal { $0 += 1 }
        }
        asked.waitUntil({ $0 > 0 }, then: { _ in })
        for number in 0..<400 { try fixture.put(key(number), [UInt8](repeating: 1, count: 40_000)) }
        _ = try asking.stop()
        #expect(environment.mapSize > 1 << 20)
    }

    @Test func `one value may be larger than the whole map`() throws {
        let fixture = try Fixture.create(path, mapSize: 64 << 10)
        let large = [UInt8](repeating: 9, count: 3 << 20)
        try fixture.put(key(1), large)
        #expect(try fixture.value(key(1)) == large)
    }

    @Test func `a thread that holds a read cannot grow the map and gets an error`() throws {
        let fixture = try Fixture.create(path, mapSize: 64 << 10)
        try fixture.put(key(0), [1])
        let large = [UInt8](repeating: 9, count: 1 << 20)
        try fixture.environment.read { _ in
            #expect(fixture.environment.isHeldByCurrentThread)
            #expect(code { try fixture.put(key(1), large) } == .mapFull)
        }
        #expect(!fixture.environment.isHeldByCurrentThread)
        #expect(try fixture.rows() == [Row(key(0), [1])])
        try fixture.put(key(1), large)
        #expect(try fixture.rows().count == 2)
    }

    @Test func `growth waits for readers of other threads, which may nest further reads meanwhile`() throws {
        let fixture = try Fixture.create(path, mapSize: 64 << 10)
        try fixture.put(key(0), [1])
        let started = Locked(false)
        let done = Locked(false)
        try fixture.environment.read { _ in
            startWriter(fixture, started, done)
            started.waitUntil({ $0 }, then: { _ in })
            for _ in 0..<2000 {
                let seen = try fixture.value(key(0))
                #expect(seen == [1])
            }
            #expect(!done.withLock { $0 })
        }
        done.waitUntil({ $0 }, then: { _ in })
        #expect(try fixture.rows().count == 2)
    }

    private func startWriter(_ fixture: Fixture, _ started: Locked<Bool>, _ done: Locked<Bool>) {
        _ = Repeaters(1) {
            guard !done.withLock({ $0 }) else { throw Stop() }
            started.signal { $0 = true }
            try fixture.put(key(1), [UInt8](repeating: 9, count: 1 << 20))
            done.signal { $0 = true }
        }
    }

    struct Stop: Error {}
    struct TornBatch: Error { let rows: Int }
}
