#if os(Linux)
import Foundation
import Testing

@Suite(
    "Holders of LMDB's mutexes that died", .serialized, .timeLimit(.minutes(30)),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct DeadHolderTests {
    private static let isPackage = ProcessInfo.processInfo.environment["MESSAGESTORE_LMDB"] == "package"

    @Test(
        "Who has a store open and who opens it go on after a process was killed while it held the readers' mutex",
        arguments: [false, true])
    func killed(opensFirst: Bool) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let writer = try Self.writer(path)
        let holder = try Self.holder(path, .kill)
        #expect(try holder.wait() == .killed(signal: SIGKILL))
        #expect(holder.acknowledged == [])
        if opensFirst { #expect(try Self.opening(path) == "fine") }
        #expect(try writer.ask(["count-readers"]) == .line("0"))
        #expect(try writer.ask(["record-or-redact", path]) == .line("1"))
        #expect(try Self.opening(path) == "fine")
    }

    @Test(
        "A process that is stopped while it holds the readers' mutex costs others an error until it goes on",
        .enabled(if: isPackage, "the system's LMDB waits until the process goes on"))
    func stopped() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let writer = try Self.writer(path)
        let holder = try Self.holder(path, .stop)
        #expect(try holder.acknowledgements(1) == [1])
        #expect(try writer.ask(["count-readers"]) == .line("error StoreError"))
        #expect(try Self.opening(path) == "inputOutput")
        kill(holder.identifier, SIGCONT)
        #expect(try holder.acknowledgements(2) == [1, 1])
        #expect(try Self.opening(path) == "fine")
        try holder.kill()
        #expect(try writer.ask(["count-readers"]) == .line("0"))
    }

    @Test("I2, I6: The next writer goes on after one was killed in a commit while a reader keeps the lock file in use")
    func writers() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        #expect(try ChildProcess(["append", path, "5", "3"], untilReady: false).wait() == .exited(0))
        let reader = try ChildProcess(["hold", path, "1"])
        let worker = Worker()
        var kills = 0
        for call in stride(from: 20, through: 220, by: 40) {
            let child = try ChildProcess(
                ["append", path, "5", "10"], environment: FaultShim.environment(under: path, .kill, at: call),
                untilReady: false)
            if try child.wait() == .killed(signal: SIGKILL) { kills += 1 }
            let answer = try worker.ask(["state", path, "5", "\(child.acknowledged.max() ?? 0)"])
            guard case .line(let line) = answer, line.hasPrefix("good") else {
                Issue.record("killed at call \(call): \(answer)")
                return
            }
        }
        #expect(kills > 3)
        try reader.kill()
    }

    /// A worker that has a store with a message open, and leaves a reader's slots in its tables that was killed.
    private static func writer(_ path: String) throws -> Worker {
        let writer = Worker()
        try #require(try writer.ask(["record-or-redact", path]) == .line("1"))
        try ChildProcess(["hold", path, "1"]).kill()
        return writer
    }

    /// A child that opens the store, finds the dead reader, and gets the signal while it holds the mutex.
    private static func holder(_ path: String, _ signal: FaultShim.Signal) throws -> ChildProcess {
        try ChildProcess(
            ["hold", path, "1"], environment: FaultShim.environment(under: path, whileHolding: signal),
            untilReady: false)
    }

    /// The code of an opening by another process, which reads.
    private static func opening(_ path: String) throws -> String {
        guard case .line(let codes) = try Worker().ask(["open", path]) else { return "no answer" }
        return String(codes.prefix { $0 != "\t" })
    }
}
#endif
