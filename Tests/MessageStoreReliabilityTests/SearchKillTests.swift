#if os(macOS) || os(Linux)
import Foundation
import MessageStoreWorkload
import Testing

/// The short forms of these tests take seconds and run with all others; `Battery` says how much else there is.
@Suite("Search: kills while the index follows", .serialized, .timeLimit(.minutes(120)))
struct SearchKillTests {
    private static let killsPerStore = Battery.isOn ? 6 : 2

    @Test("killed at any time, the next opening answers as a scan does, and nothing that was erased is left")
    func anyTime() throws {
        let worker = Worker()
        let tries = Battery.tries(plain: 2, short: 60, long: 400)
        var random = SplitMix64(seed: Battery.seed)
        for seed in 0..<UInt64(tries / Self.killsPerStore) {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/store"
            for kill in 0..<Self.killsPerStore {
                let child = try ChildProcess(["search", path, "\(seed)"])
                usleep(UInt32(random.nextIndex(150_001)))
                try child.kill()
                try Self.check(worker, path, "seed \(seed), kill \(kill)")
            }
        }
        Battery.report("kills while the index follows", [("tries", tries)])
    }

    #if os(Linux)
    @Test(
        "killed at a file call, the next opening answers as a scan does, and nothing that was erased is left",
        .enabled(if: Battery.isOn, Battery.isOff), .enabled(if: FaultShim.path != nil, "no C compiler"))
    func fileCalls() throws {
        let worker = Worker()
        let (tries, rounds) = (Battery.tries(short: 60, long: 400), 25)
        var random = SplitMix64(seed: Battery.seed)
        var killed = 0
        for seed in 0..<UInt64(tries / Self.killsPerStore) {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/store"
            let calls = try FaultShim.countCalls(under: directory.path) { environment in
                let counted = try ChildProcess(
                    ["search", path, "\(seed)", "\(rounds)"], environment: environment, untilReady: false)
                return try counted.wait() == .exited(0)
            }
            for kill in 0..<Self.killsPerStore {
                let call = 1 + random.nextIndex(calls)
                let child = try ChildProcess(
                    ["search", path, "\(seed)", "\(rounds)"],
                    environment: FaultShim.environment(under: directory.path, .kill, at: call), untilReady: false)
                if case .killed = try child.wait() { killed += 1 }
                try Self.check(worker, path, "seed \(seed), kill \(kill) at call \(call) of about \(calls)")
            }
        }
        #expect(killed > tries / 3)
        Battery.report("kills at file calls while the index follows", [("tries", tries), ("killed", killed)])
    }
    #endif

    private static func check(_ worker: Worker, _ path: String, _ what: Comment) throws {
        let answer = try worker.ask(["search", path])
        guard case .line(let line) = answer, line.hasPrefix("good\t") else {
            Issue.record("\(what): \(answer)")
            return
        }
        // Each answer is right before the index has caught up, too: what it lacks is read.
        let counts = line.split(separator: "\t").dropFirst().compactMap { Int($0) }
        #expect(counts.dropFirst().allSatisfy { $0 == 0 }, what)
    }
}
#endif
