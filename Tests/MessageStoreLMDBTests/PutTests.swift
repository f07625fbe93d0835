import MessageStoreLMDB
import Testing

@Suite struct `Putting rows` {
    private let directory = TemporaryDirectory()
    private let fixture: Fixture

    init() throws { fixture = try Fixture.create(directory.path) }

    @Test func `the modes differ where the key is taken`() throws {
        try fixture.put(key(5), [1], mode: .insert)
        #expect(code { try fixture.put(key(5), [2], mode: .insert) } == .keyExists)
        #expect(try fixture.value(key(5)) == [1])
        try fixture.put(key(5), [3])
        #expect(try fixture.value(key(5)) == [3])
    }

    @Test("I1: appending a key that is not above all others throws", arguments: [0, 4, 5])
    func appendOutOfOrder(number: Int) throws {
        try fixture.put(key(5), [1], mode: .append)
        #expect(code { try fixture.put(key(number), [2], mode: .append) } == .keyExists)
        #expect(try fixture.rows() == [Row(key(5), [1])])
        try fixture.put(key(6), [2], mode: .append)
    }

    @Test func `a key of a wrong length is a typed error, also where an empty one is read or removed`() throws {
        for length in [0, 512, 5000] {
            let wrong = [UInt8](repeating: 1, count: length)
            for mode in [WriteTransaction.PutMode.upsert, .insert, .append] {
                #expect(code { try fixture.put(wrong, [1], mode: mode) } == .badValueSize)
            }
        }
        #expect(try fixture.rows().isEmpty)
        try fixture.put(key(1), [1])
        #expect(code { try fixture.value([]) } == .badValueSize)
        let removal = code {
            try fixture.environment.write { try $0.remove([UInt8]().span.bytes, in: fixture.table) }
        }
        #expect(removal == .badValueSize)
    }

    @Test(arguments: [(1, 0), (511, 0), (511, 4000), (8, 2020), (8, 2040), (8, 1 << 20)])
    func `rows of every size come back`(keyLength: Int, valueLength: Int) throws {
        let value = (0..<valueLength).map { UInt8(truncatingIfNeeded: $0) }
        let row = Row([UInt8](repeating: 3, count: keyLength), value)
        try fixture.put(row.key, row.value)
        #expect(try fixture.rows() == [row])
        #expect(try fixture.value(row.key) == row.value)
    }

    @Test func `emptying a table leaves the table`() throws {
        for number in 0..<500 { try fixture.put(key(number), [1]) }
        try fixture.environment.write { try $0.removeAll(in: fixture.table) }
        #expect(try fixture.rows().isEmpty)
        try fixture.put(key(1), [1])
    }

    @Test("an error says whether it is about a cache, which can be made anew", arguments: [false, true])
    func errorsOfCaches(isCache: Bool) throws {
        let directory = TemporaryDirectory()
        let environment = try Environment(path: directory.path, configuration: .init(access: .create, isCache: isCache))
        let table = try environment.openTables(["rows"], create: true)[0]
        let (empty, value): ([UInt8], [UInt8]) = ([], [1])
        let errors = [
            lmdbError {
                try environment.write { try $0.put(value.span.bytes, for: empty.span.bytes, in: table) }
            },
            lmdbError {
                try environment.write { transaction throws in
                    try transaction.writeCursor(in: table).put(value.span.bytes, for: empty.span.bytes)
                }
            },
        ]
        #expect(errors.map { $0?.isInCache } == [isCache, isCache])
    }

    private func lmdbError(_ body: () throws -> Void) -> LMDBError? {
        do {
            try body()
            return nil
        } catch {
            return error as? LMDBError
        }
    }

    @Test func `a store opened for reading refuses writes with a typed error`() throws {
        let directory = TemporaryDirectory()
        _ = try Fixture.create(directory.path)
        let fixture = try Fixture.open(directory.path, .readOnly)
        #expect(throws: LMDBError.self) { try fixture.put(key(1), [1]) }
        #expect(try fixture.rows().isEmpty)
    }
}
