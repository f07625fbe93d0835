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

    @Test(
        arguments: [
            ([.next, .next, .next, .next, .previous], [0, 1, 2, nil, 1]),
            ([.previous, .previous, .previous, .previous, .next], [2, 1, 0, nil, 1]),
            ([.first, .previous, .last, .next], [0, nil, 2, nil]),
        ] as [([UnboundCursor.Step], [UInt8?])])
    func `steps go in key order and stay at the ends`(steps: [UnboundCursor.Step], expected: [UInt8?]) throws {
        try withRows(3) { fixture in
            let reached = try walk(fixture, steps)
            #expect(reached == expected)
        }
    }

    @Test(
        arguments: [
            (-1, 0), (0, 0), (1, 2), (2, 2), (5, 6), (6, 6), (198, 198), (199, nil), (500, nil),
        ] as [(Int, Int?)])
    func `seek finds the first key not below`(sought: Int, found: Int?) throws {
        let fixture = try Fixture.create(path)
        for number in stride(from: 0, through: 198, by: 2) { try fixture.put(key(number), [1]) }
        try fixture.environment.read { transaction in
            var cursor = try transaction.cursor(in: fixture.table)
            let bound = sought < 0 ? [] : key(sought)
            let isFound = try cursor.seek(bound.span.bytes)
            #expect(isFound == (found != nil))
            if let found { #expect(bytes(cursor.key) == key(found)) }
        }
    }

    @Test func `a cursor in a write transaction sees its writes`() throws {
        try withRows(2) { fixture in
            try fixture.environment.write { transaction in
                try transaction.put([UInt8]([9]).span.bytes, for: key(7).span.bytes, in: fixture.table)
                var cursor = try transaction.cursor(in: fixture.table)
                let isFound = try cursor.move(.last)
                #expect(isFound)
                #expect(bytes(cursor.key) == key(7))
                #expect(bytes(cursor.value) == [9])
            }
        }
    }

    @Test func `a cursor over nothing has no entries`() throws {
        var cursor = UnboundCursor()
        let isMoved = try cursor.move(.first)
        #expect(!isMoved)
    }

    private func withRows(_ count: Int, _ body: (Fixture) throws -> Void) throws {
        try withTemporaryDirectory { path in
            let fixture = try Fixture.create(path)
            for number in 0..<count { try fixture.put(key(number), [UInt8(number)]) }
            try body(fixture)
        }
    }

    /// For each step the row reached, nil where there was none.
    private func walk(_ fixture: Fixture, _ steps: [UnboundCursor.Step]) throws -> [UInt8?] {
        try fixture.environment.read { transaction in
            var cursor = try transaction.cursor(in: fixture.table)
            var reached: [UInt8?] = []
            for step in steps {
                let isFound = try cursor.move(step)
                reached.append(isFound ? bytes(cursor.value).first : nil)
            }
            return reached
        }
    }
}
