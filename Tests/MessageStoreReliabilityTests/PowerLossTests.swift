#if os(Linux)
import Foundation
import MessageStore
import MessageStoreWorkload
import Testing

@Suite(
    "Power loss", .serialized, .timeLimit(.minutes(60)), .enabled(if: Battery.isOn, Battery.isOff),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct PowerLossTests {
    @Test("I1, I2, I3: what was acknowledged survives a power loss, whatever the disk made of what was not flushed")
    func flushesHonoured() throws {
        let figures = try Self.tryStates(Battery.tries(short: 600, long: 50_000), ignoresFlushes: false)
        for failure in figures.failures.prefix(5) { Issue.record("\(failure)") }
        #expect(figures.failures.isEmpty)
        Battery.report("power loss", [("states", figures.states), ("bad", figures.failures.count)])
    }

    /// If this found nothing, the test above could not either.
    @Test("A disk that ignores flushes is noticed")
    func flushesIgnored() throws {
        let figures = try Self.tryStates(Battery.tries(short: 150, long: 2_000), ignoresFlushes: true)
        #expect(figures.failures.count > figures.states / 20)
        Battery.report("power loss without flushes", [("states", figures.states), ("bad", figures.failures.count)])
    }

    @Test("I2: what a full opening acknowledges survives, also where a relaxed one was killed before it")
    func afterRelaxed() throws {
        let directory = try TemporaryDirectory()
        let base = directory.path + "/files"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: false)
        var disk = SimulatedDisk()
        disk.take(.makeDirectory(path: base))
        // More than the journal takes, so that it is committed at once; then a message of a full opening.
        for (index, arguments) in [["10", "relaxed"], ["1"]].enumerated() {
            let log = directory.path + "/log\(index)"
            let child = try ChildProcess(
                ["once", base + "/store"] + arguments,
                environment: FaultShim.environment(under: base, logIn: log, ignoresFlushes: false), untilReady: false)
            #expect(try child.wait() == .exited(0))
            for change in try FileChange.all(in: log) { disk.take(change) }
        }
        #expect(disk.acknowledged == 11)
        var random = SplitMix64(seed: Battery.seed)
        for loss in SimulatedDisk.Loss.allCases {
            for rule in SimulatedDisk.DirectoryRule.allCases {
                let state = try TemporaryDirectory()
                try disk.writeState(to: state.path, base: base, loss, rule, &random)
                let store = try MessageStore.openReadOnly(state.path + "/store", configuration: .ofTests)
                #expect(try store.lastPosition() == Position(11), "\(loss), \(rule)")
                try store.close()
            }
        }
    }

    struct Figures {
        var states = 0
        /// What the states had: compactions that cut events off, and erasures.
        var cuts = 0
        var erasures = 0
        var failures: [String] = []
    }

    /// Records what a child does to its files, and checks what a loss of power would leave at random moments of it.
    ///
    /// - Parameters:
    ///   - command: What the child does, and how many batches.
    ///   - isPastCut: Whether only moments after the first cut count.
    static func tryStates(
        _ count: Int, ignoresFlushes: Bool, command: (name: String, batches: Int) = ("append", 40),
        isPastCut: Bool = false
    ) throws -> Figures {
        var figures = Figures()
        var random = SplitMix64(seed: Battery.seed)
        let worker = Worker()
        let perRun = 500
        while figures.states < count {
            let seed = random.next() % 10_000
            let directory = try TemporaryDirectory()
            let changes = try record(seed, in: directory, ignoresFlushes, command)
            let first = isPastCut ? changes.firstIndex(where: \.isCutNote) : 0
            guard let first else { continue }
            var cuts = (0..<min(perRun, count - figures.states)).map { _ in
                first + random.nextIndex(changes.count - first)
            }
            cuts.sort()
            var disk = SimulatedDisk()
            var taken = 0
            for cut in cuts {
                while taken < cut {
                    disk.take(changes[taken])
                    taken += 1
                }
                let (state, words) = try disk.lost(during: changes[cut], base: directory.path + "/files", &random)
                let answer = try worker.ask(
                    ["state", state.path + "/store", "\(seed)", "\(disk.acknowledged)"])
                figures.states += 1
                if case .line(let line) = answer, line.hasPrefix("good") {
                    let words = line.split(separator: " ").compactMap { Int($0) }
                    figures.cuts += words[1] > 0 ? 1 : 0
                    figures.erasures += words[2] > 0 ? 1 : 0
                    continue
                }
                figures.failures.append("seed \(seed), cut \(cut) of \(changes.count), \(words): \(answer)")
            }
        }
        return figures
    }

    private static func record(
        _ seed: UInt64, in directory: TemporaryDirectory, _ ignoresFlushes: Bool,
        _ command: (name: String, batches: Int)
    ) throws -> [FileChange] {
        let base = directory.path + "/files"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: false)
        let log = directory.path + "/log"
        let child = try ChildProcess(
            [command.name, base + "/store", "\(seed)", "\(command.batches)"],
            environment: FaultShim.environment(under: base, logIn: log, ignoresFlushes: ignoresFlushes),
            untilReady: false)
        #expect(try child.wait(limit: 600) == .exited(0))
        // The child found the directory there.
        return [.makeDirectory(path: base)] + (try FileChange.all(in: log))
    }
}
#endif
