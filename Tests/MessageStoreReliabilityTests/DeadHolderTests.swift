#if os(Linux)
import Foundation
import MessageStoreModel
import MessageStoreWorkload
import Testing

@Suite(
    "Holders of LMDB's mutexes that died", .serialized, .timeLimit(.minutes(30)),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct DeadHolderTests {
    private static let isPackage = ProcessInfo.processInfo.environment["MESSAGESTORE_LMDB"] == "package"

    /// Answers within this many seconds are no hang.
    private static let limit: TimeInterval = 60

    @Test("who has a store open and who opens it go on after a process was killed while it held the readers' mutex")
    func killed() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let writer = try Self.writer(path)
        try Self.leaveDeadReader(path)
        // It finds the dead reader when it opens the store.
        let holder = try ChildProcess(
            ["hold", path, "1"], environment: FaultShim.environment(under: path, whileHolding: .kill),
            untilReady: false)
        #expect(try holder.wait() == .killed(signal: SIGKILL))
        #expect(holder.acknowledged == [])
        let opening = try Worker().ask(["open", path], limit: Self.limit)
        #expect(opening == .line("fine\talreadyOpen"))
        #expect(try writer.ask(["count-readers"], limit: Self.limit) == .line("0"))
        #expect(try writer.ask(["record-or-redact", path], limit: Self.limit) == .line("2"))
    }

    @Test("who has a store open goes on after a process was killed while it held the readers' mutex")
    func killedBeforeOthers() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let writer = try Self.writer(path)
        try Self.leaveDeadReader(path)
        let holder = try ChildProcess(
            ["hold", path, "1"], environment: FaultShim.environment(under: path, whileHolding: .kill),
            untilReady: false)
        #expect(try holder.wait() == .killed(signal: SIGKILL))
        #expect(try writer.ask(["count-readers"], limit: Self.limit) == .line("0"))
        #expect(try writer.ask(["record-or-redact", path], limit: Self.limit) == .line("2"))
    }

    @Test(
        "a process that is stopped while it holds the readers' mutex costs others an error, until it goes on",
        .enabled(if: isPackage, "the system's LMDB waits until the process goes on"))
    func stopped() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let writer = try Self.writer(path)
        try Self.leaveDeadReader(path)
        let holder = try ChildProcess(
            ["hold", path, "1"], environment: FaultShim.environment(under: path, whileHolding: .stop))
        #expect(try writer.ask(["count-readers"], limit: Self.limit) == .line("error StoreError"))
        let opening = try Worker().ask(["open", path], limit: Self.limit)
        #expect(opening == .line("inputOutput\talreadyOpen"))
        kill(holder.identifier, SIGCONT)
        #expect(try holder.acknowledgements(2) == [1, 1])
        #expect(try Worker().ask(["open", path], limit: Self.limit) == .line("fine\talreadyOpen"))
        try holder.kill()
        #expect(try writer.ask(["count-readers"], limit: Self.limit) == .line("0"))
    }

    @Test("I2, I6: the next writer goes on after one was killed in a commit, while a reader keeps the lock file in use")
    func writers() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let seed: UInt64 = 5
        #expect(try ChildProcess(["append", path, "\(seed)", "3"], untilReady: false).wait() == .exited(0))
        let reader = try ChildProcess(["hold", path, "1"])
        let worker = Worker()
        var kills = 0
        for call in stride(from: 20, through: 260, by: 20) {
            let child = try ChildProcess(
                ["append", path, "\(seed)", "10"], environment: FaultShim.environment(under: path, .kill, at: call),
                untilReady: false)
            if try child.wait(limit: Self.limit) == .killed(signal: SIGKILL) { kills += 1 }
            let last = child.acknowledged.max() ?? 0
            let answer = try worker.ask(["state", path, "\(seed)", "\(last)"], limit: Self.limit)
            guard case .line(let line) = answer, line.hasPrefix("good") else {
                Issue.record("killed at call \(call): \(answer)")
                return
            }
        }
        #expect(kills > 6)
        try reader.kill()
    }

    /// A worker that has a store with a message open.
    private static func writer(_ path: String) throws -> Worker {
        let writer = Worker()
        try #require(try writer.ask(["record-or-redact", path], limit: limit) == .line("1"))
        return writer
    }

    /// Leaves the slots of a reader that was killed in the tables of readers.
    private static func leaveDeadReader(_ path: String) throws {
        let reader = try ChildProcess(["hold", path, "1"])
        try reader.kill()
    }
}
#endif
