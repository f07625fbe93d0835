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
        // More than the journal takes, so that each records by a commit.
        #expect(try ChildProcess(["once", path, "1"]).wait() == .exited(0))
        let reader = try ChildProcess(["hold", path, "1"])
        var last: UInt64 = 0
        let calls = try FaultShim.countCalls(under: path) { environment in
            let counted = try ChildProcess(["once", path, "1"], environment: environment)
            let end = try counted.wait()
            last = counted.acknowledged.max() ?? 0
            return end == .exited(0)
        }
        for call in stride(from: 1, through: calls, by: 2) {
            let killed = try ChildProcess(
                ["once", path, "1"], environment: FaultShim.environment(under: path, .kill, at: call), untilReady: false
            )
            _ = try killed.wait()
            let next = try ChildProcess(["once", path, "1"], untilReady: false)
            #expect(try next.wait() == .exited(0), "after a kill at call \(call)")
            let position = next.acknowledged.max() ?? 0
            #expect(position > max(last, killed.acknowledged.max() ?? 0), "after a kill at call \(call)")
            last = position
        }
        try reader.kill()
    }

    /// Opens a store with a message in a worker, and leaves the slots of a killed reader in its tables.
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
