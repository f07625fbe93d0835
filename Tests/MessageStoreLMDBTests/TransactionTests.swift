import MessageStoreLMDB
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Transactions` {
    private let directory = TemporaryDirectory()
    private let fixture: Fixture

    init() throws { fixture = try Fixture.create(directory.path) }

    struct Refusal: Error {}

    @Test func `a reader keeps its snapshot while a writer commits`() throws {
        try fixture.put([1], [1])
        try fixture.environment.read { transaction in
            try onOtherThread { try fixture.put([1], [2]) }
            let seen = try transaction.bytes(of: [1], in: fixture.table)
            #expect(seen == [1])
        }
        #expect(try fixture.value([1]) == [2])
    }

    @Test("I6: a write whose body throws leaves nothing") func thrownBodyLeavesNothing() throws {
        try fixture.put([1], [1])
        #expect(throws: Refusal.self) {
            try fixture.environment.write { transaction in
                for number in 0..<1000 {
                    try transaction.put(key(number).span.bytes, for: key(number).span.bytes, in: fixture.table)
                }
                try transaction.remove([UInt8]([1]).span.bytes, in: fixture.table)
                throw Refusal()
            }
        }
        #expect(try fixture.rows() == [Row([1], [1])])
    }

    @Test
    func `a writer sees its own writes before it commits, and removing answers whether the row was there`() throws {
        try fixture.environment.write { transaction in
            try transaction.put([UInt8]([7]).span.bytes, for: key(1).span.bytes, in: fixture.table)
            let seen = try transaction.bytes(of: key(1), in: fixture.table)
            #expect(seen == [7])
        }
        try fixture.put(key(1), [])
        let answers = try fixture.environment.write { transaction in
            try (0..<2).map { _ in try transaction.remove(key(1).span.bytes, in: fixture.table) }
        }
        #expect(answers == [true, false])
    }

    @Test func `reads may nest, also while another thread writes, and more at once than are kept for reuse`() throws {
        try fixture.put(key(1), [1])
        try fixture.environment.read { _ in
            try onOtherThread { try fixture.put(key(2), [2]) }
            #expect(try fixture.rows().count == 2)
        }
        try fixture.put(key(1), [1])
        for _ in 0..<3 { try nest(40, fixture) }
        #expect(try fixture.environment.statistics().liveReaders == 0)
    }

    private func nest(_ depth: Int, _ fixture: Fixture) throws {
        #expect(try fixture.value(key(1)) == [1])
        if depth > 0 { try fixture.environment.read { _ in try nest(depth - 1, fixture) } }
    }
}
