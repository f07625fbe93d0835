#if os(Linux)
import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

@Suite(
    "File calls that fail", .serialized, .timeLimit(.minutes(60)), .enabled(if: Battery.isOn, Battery.isOff),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct FaultTests {
    /// What the child does under faults: open, batches with flushes and rebuilds, close.
    private static let batches = 30
    /// Another child fails at every so manieth call; at each in the long form.
    private static var step: Int { Battery.isLong ? Battery.part : 13 }

    @Test("I1, I2: a child killed before each file call loses nothing that it acknowledged")
    func killed() throws {
        let worker = Worker()
        var (tries, kills) = (0, 0)
        for seed in Self.seeds {
            let calls = try Self.countCalls(["append"], seed)
            for call in stride(from: 1 + Int(seed) % Self.step, through: calls, by: Self.step) {
                let directory = try TemporaryDirectory()
                let child = try ChildProcess(
                    ["append", directory.path + "/store", "\(seed)", "\(Self.batches)"],
                    environment: FaultShim.environment(under: directory.path, .kill, at: call), untilReady: false)
                if try child.wait() == .killed(signal: SIGKILL) { kills += 1 }
                try Self.check(directory, seed, child.acknowledged, worker, "killed at call \(call), seed \(seed)")
                tries += 1
            }
        }
        // Runs differ by some calls, so the last numbers may not be reached.
        #expect(kills > tries / 2)
        Battery.report("kills before a file call", [("tries", tries), ("killed", kills)])
    }

    @Test(
        "I1, I2, I10: a file call that fails once or for ever costs nothing that was acknowledged",
        arguments: FaultShim.Kind.allCases.filter { $0 != .kill }.flatMap { kind in
            // A call that is interrupted for ever is made for ever.
            (kind == .interrupted ? [false] : [false, true]).map { (kind, $0) }
        })
    func failing(kind: FaultShim.Kind, isSticky: Bool) throws {
        let worker = Worker()
        var tries = 0
        let seed = Battery.seed &+ 7
        let calls = try Self.countCalls(["append"], seed)
        for call in stride(from: 1 + kind.rawValue.count % Self.step, through: calls, by: Self.step) {
            let directory = try TemporaryDirectory()
            let child = try ChildProcess(
                ["append", directory.path + "/store", "\(seed)", "\(Self.batches)"],
                environment: FaultShim.environment(under: directory.path, kind, at: call, isSticky: isSticky),
                untilReady: false)
            let end = try child.wait()
            let what: Comment = "\(kind) at call \(call), sticky: \(isSticky), seed \(seed)"
            #expect([.exited(0), .exited(3)].contains(end), "\(what): ended by \(end)")
            try Self.check(directory, seed, child.acknowledged, worker, what)
            tries += 1
        }
        Battery.report("calls that fail", [("tries", tries)])
    }

    @Test(
        "I2, I10: a store in which a file call failed once goes on within its process",
        arguments: FaultShim.Kind.allCases.filter { $0 != .kill })
    func goesOn(kind: FaultShim.Kind) throws {
        let worker = Worker()
        var figures = (tries: 0, notOpened: 0, notClosed: 0)
        let seed = Battery.seed &+ 11
        let calls = try Self.countCalls(["persist"], seed)
        for call in stride(from: 1 + kind.rawValue.count % Self.step, through: calls, by: Self.step) {
            let directory = try TemporaryDirectory()
            let child = try ChildProcess(
                ["persist", directory.path + "/store", "\(seed)", "\(Self.batches)"],
                environment: FaultShim.environment(under: directory.path, kind, at: call), untilReady: false)
            let what: Comment = "\(kind) at call \(call), seed \(seed)"
            switch try child.wait() {
            case .exited(0): figures.tries += 1
            case .exited(3): figures.notOpened += 1
            // The call was one of the last flush, which closing reports.
            case .exited(5): figures.notClosed += 1
            case let end: Issue.record("\(what): ended by \(end)")
            }
            try Self.check(directory, seed, child.acknowledged, worker, what)
        }
        Battery.report(
            "calls that fail in a process that goes on",
            [("tries", figures.tries), ("not opened", figures.notOpened), ("not closed", figures.notClosed)])
    }

    @Test(
        "I11: a child killed before each file call of a redaction has left nothing in the journal once it is redacted")
    func killedRedaction() throws {
        let directory = try TemporaryDirectory()
        let calls = try FaultShim.countCalls(under: directory.path) { environment in
            let unharmed = try ChildProcess(
                ["redact", directory.path + "/store"], environment: environment, untilReady: false)
            return try unharmed.wait() == .exited(0)
        }
        var figures = (recorded: 0, redacted: 0)
        for call in stride(from: 1, through: calls, by: Battery.isLong ? Battery.part : 1) {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/store"
            let child = try ChildProcess(
                ["redact", path], environment: FaultShim.environment(under: directory.path, .kill, at: call),
                untilReady: false)
            _ = try child.wait()
            guard child.acknowledged.contains(1) else { continue }
            figures.recorded += 1
            let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
            let isRedacted = try reader.events(limit: 1).first?.isRedacted
            try reader.close()
            guard isRedacted == true else { continue }
            figures.redacted += 1
            for name in try FileManager.default.contentsOfDirectory(atPath: path + "/log")
            where name.hasPrefix("journal") {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/log/" + name))
                #expect(bytes.range(of: Data("the secret words".utf8)) == nil, "killed at call \(call)")
            }
        }
        #expect(figures.redacted > 0 && figures.recorded > figures.redacted)
        Battery.report(
            "kills in a redaction", [("tries", calls), ("redacted", figures.redacted)])
    }

    private static var seeds: [UInt64] { (0..<UInt64(Battery.isLong ? 3 : 1)).map { Battery.seed &+ $0 } }

    /// The file calls of a child that nothing happens to.
    private static func countCalls(_ command: [String], _ seed: UInt64) throws -> Int {
        let directory = try TemporaryDirectory()
        let calls = try FaultShim.countCalls(under: directory.path + "/store") { environment in
            let child = try ChildProcess(
                command + [directory.path + "/store", "\(seed)", "\(batches)"], environment: environment,
                untilReady: false)
            return try child.wait() == .exited(0)
        }
        // A shim that stands beside the calls proves nothing.
        try #require(calls > 100)
        return calls
    }

    private static func check(
        _ directory: TemporaryDirectory, _ seed: UInt64, _ acknowledged: [UInt64], _ worker: Worker, _ what: Comment
    ) throws {
        let last = acknowledged.max() ?? 0
        let answer = try worker.ask(["state", directory.path + "/store", "\(seed)", "\(last)"])
        guard case .line(let line) = answer, line.hasPrefix("good") else {
            Issue.record("\(what): \(answer)")
            return
        }
    }
}
#endif
