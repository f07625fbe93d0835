import Foundation
import MessageStoreLMDB
import Testing

@Suite("The table of readers", .timeLimit(.minutes(30))) struct ReaderLimitTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    /// Holds read transactions, one on each turn of a recursion, for they cannot be put in an array.
    private func hold(_ count: Int, _ environment: Environment, then body: () throws -> Void) throws {
        guard count > 0 else { return try body() }
        try environment.read { _ in try hold(count - 1, environment, then: body) }
    }

    @Test func `a thousand reads may be open at once`() throws {
        let fixture = try Fixture.create(path)
        try fixture.put([1], [1])
        try hold(1000, fixture.environment) {
            let rows = try fixture.rows()
            #expect(rows.count == 1)
        }
    }

    @Test func `a full table is an error of its own, and passes`() throws {
        let environment = try Environment(path: path, configuration: .init(access: .create, maximumReaders: 40))
        var held = 0
        var failure: LMDBError?
        func fill() throws {
            guard held < 200 else { return }
            try environment.read { _ in
                held += 1
                try fill()
            }
        }
        do { try fill() } catch let error as LMDBError { failure = error }
        #expect(failure?.code == .readersFull)
        #expect(failure?.detail == "all \(held) slots for readers are taken")
        #expect(held >= 40 && held < 200)
        try environment.read { _ in }
    }

    @Test func `slots of processes that died are free for reading and for opening`() async throws {
        let path = try makeTemporaryDirectory()
        let fixture = try Fixture.create(path)
        try fixture.put([1], [1])
        for _ in 0..<2 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let environment = try Environment(path: path, configuration: .init(access: .readOnly))
                func fill() throws {
                    do {
                        try environment.read { _ in try fill() }
                    } catch let error as LMDBError where error.code == .readersFull {
                        kill(getpid(), SIGKILL)
                    }
                }
                try fill()
            }
            #expect(try fixture.rows().count == 1)
            #expect(try fixture.environment.openTables(["rows"], create: false).count == 1)
        }
        try FileSystem.remove(path)
    }
}
