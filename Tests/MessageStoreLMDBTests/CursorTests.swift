import MessageStoreLMDB
import Testing

@Suite struct `Cursors` {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test func `an empty table has nowhere to go`() throws {
        let fixture = try Fixture.create(path)
        try fixture.environment.read { transaction in
            var cursor = try transaction.cursor(in: fixture.table)
            for step in [UnboundCursor.Step.next, .previous, .first, .last] {
                let isFound = try cursor.move(step)
                #expect(!isFound)
            }
            let isFound = try cursor.seek(key(0).span.bytes)
            #expect(!isFound)
            #expect(cursor.key.byteCount == 0)
        }
    }

    @Test func `steps go in key order and stay at the ends`() throws {
        let walks: [(steps: [UnboundCursor.Step], reached: [UInt8?])] = [
            ([.next, .next, .next, .next, .previous], [0, 1, 2, nil, 1]),
            ([.previous, .previous, .previous, .previous, .next], [2, 1, 0, nil, 1]),
            ([.first, .previous, .last, .next], [0, nil, 2, nil]),
        ]
        let fixture = try self.fixture(rows: 3)
        #expect(try walks.map { try walk(fixture, $0.steps) } == walks.map(\.reached))
    }

    @Test func `seek finds the first key not below`() throws {
        let fixture = try Fixture.create(path)
        for number in stride(from: 0, through: 198, by: 2) { try fixture.put(key(number), [1]) }
        let bounds = [[]] + [0, 1, 2, 5, 6, 198, 199, 500].map { key($0) }
        let found = try fixture.environment.read { transaction in
            var cursor = try transaction.cursor(in: fixture.table)
            var found: [[UInt8]?] = []
            for bound in bounds { found.append(try cursor.seek(bound.span.bytes) ? bytes(cursor.key) : nil) }
            return found
        }
        #expect(found == [0, 0, 2, 2, 6, 6, 198, nil, nil].map { $0.map { key($0) } })
    }

    @Test func `a cursor in a write transaction sees its writes`() throws {
        let fixture = try fixture(rows: 2)
        try fixture.environment.write { transaction in
            try transaction.put([UInt8]([9]).span.bytes, for: key(7).span.bytes, in: fixture.table)
            var cursor = try transaction.cursor(in: fixture.table)
            let isFound = try cursor.move(.last)
            #expect(isFound)
            #expect(Row(bytes(cursor.key), bytes(cursor.storedValue)) == Row(key(7), [9]))
        }
    }

    @Test func `a cursor over nothing has no entries`() throws {
        var cursor = UnboundCursor()
        let isMoved = try cursor.move(.first)
        #expect(!isMoved)
    }

    private func fixture(rows count: Int) throws -> Fixture {
        let fixture = try Fixture.create(path)
        for number in 0..<count { try fixture.put(key(number), [UInt8(number)]) }
        return fixture
    }

    /// For each step the row reached, nil where there was none.
    private func walk(_ fixture: Fixture, _ steps: [UnboundCursor.Step]) throws -> [UInt8?] {
        try fixture.environment.read { transaction in
            var cursor = try transaction.cursor(in: fixture.table)
            var reached: [UInt8?] = []
            for step in steps {
                let isFound = try cursor.move(step)
                reached.append(isFound ? bytes(cursor.storedValue).first : nil)
            }
            return reached
        }
    }
}
