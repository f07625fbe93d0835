import MessageStoreLMDB
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Reading beside a writer` {
    @Test func `another process reads while this one writes`() async throws {
        let path = try makeTemporaryDirectory()
        let writer = try Fixture.create(path, mapSize: 1 << 16)
        try writer.put(key(1), [1])
        await #expect(processExitsWith: .success) { [path = path as String] in
            let reader = try Fixture.open(path, .readOnly)
            #expect(try reader.rows() == [Row(key(1), [1])])
            #expect(throws: LMDBError.self) { try reader.put(key(2), [2]) }
        }
        // The reader's end must not have cost the writer its lock or its readers.
        try writer.put(key(2), [UInt8](repeating: 2, count: 1 << 20))
        await #expect(processExitsWith: .success) { [path = path as String] in
            let rows = try Fixture.open(path, .readOnly).rows()
            #expect(rows.count == 2)
        }
        withExtendedLifetime(writer) {}
        try FileSystem.remove(path)
    }

    @Test func `a reader follows a writer that outgrows the reader's map`() async throws {
        let path = try makeTemporaryDirectory()
        try Fixture.create(path).put(key(0), [0])
        let reader = try Environment(path: path, configuration: .init(access: .readOnly, mapSize: 1 << 16))
        let table = try #require(try reader.openTables(["rows"], create: false).first)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let writer = try Fixture.open(path)
            for number in 1...50 { try writer.put(key(number), [UInt8](repeating: 1, count: 100_000)) }
        }
        #expect(try count(reader, table) == 51)
        withExtendedLifetime(reader) {}
        try FileSystem.remove(path)
    }

    private func count(_ environment: Environment, _ table: Table) throws -> Int {
        try environment.read { try $0.statistics(of: table).entries }
    }
}
