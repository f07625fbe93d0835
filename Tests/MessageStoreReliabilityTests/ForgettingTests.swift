#if os(Linux)
import Foundation
import MessageStore
import MessageStoreWorkload
import Testing

@Suite(
    "Forgetting and copying", .serialized, .timeLimit(.minutes(60)), .enabled(if: Battery.isOn, Battery.isOff),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct ForgettingTests {
    /// The steps, by the numbers that the child knows.
    enum Step: UInt64, CaseIterable {
        case clearing = 1
        case values
        case cutting
        case expiry
        case backup
        case restore
        case retention
        /// The first opening of a store of an earlier format.
        case upgradeOf1
        case upgradeOf2

        /// The format of the store that the step begins with, where it is an earlier one.
        var format: Int? {
            switch self {
            case .upgradeOf1: 1
            case .upgradeOf2: 2
            default: nil
            }
        }
    }

    private static let secret = "Zq7secretQz7"

    @Test(
        "I2, I6, I16: killed at any file call, or without room from there on, a step was done or never begun",
        arguments: Step.allCases, [FaultShim.Kind.kill, .noSpace])
    func step(step: Step, fault: FaultShim.Kind) throws {
        let base = try TemporaryDirectory()
        if let format = step.format {
            try FileManager.default.copyItem(atPath: Self.golden(format), toPath: base.path + "/store")
        } else {
            #expect(try Self.child("make", step, base).wait() == .exited(0))
        }
        let directory = try base.copy()
        let calls = try FaultShim.countCalls(under: directory.path) {
            try Self.child("forget", step, directory, $0).wait() == .exited(0)
        }
        #expect(try Self.check(directory, step, isDone: true) == true)
        let tries = FaultShim.some(Battery.tries(short: 5, long: 200), of: calls)
        var done = 0
        for call in tries {
            let directory = try base.copy()
            let environment = FaultShim.environment(
                under: directory.path, fault, at: call, isSticky: fault == .noSpace)
            let child = try Self.child("forget", step, directory, environment)
            _ = try child.wait()
            let isDone = child.acknowledged.contains(1)
            if try Self.check(directory, step, isDone: isDone) { done += 1 }
        }
        Battery.report("\(fault) in \(step)", [("tries", tries.count), ("of calls", calls), ("done", done)])
    }

    @Test(
        "I1, I2, I16: after a power loss at any moment a step was done or never begun",
        arguments: Step.allCases.filter { $0.format == nil })
    func powerLoss(step: Step) throws {
        let base = try TemporaryDirectory()
        var disk = SimulatedDisk()
        disk.take(.makeDirectory(path: base.path))
        var changes: [FileChange] = []
        let logs = try TemporaryDirectory()
        for command in ["make", "forget"] {
            for change in changes { disk.take(change) }
            let log = logs.path + "/" + command
            let environment = FaultShim.environment(under: base.path, logIn: log, ignoresFlushes: false)
            #expect(try Self.child(command, step, base, environment).wait() == .exited(0))
            changes = try FileChange.all(in: log)
        }
        var random = SplitMix64(seed: Battery.seed)
        let tries = Battery.tries(short: 10, long: 300)
        var taken = 0
        var done = 0
        for cut in (0..<tries).map({ _ in random.nextIndex(changes.count) }).sorted() {
            while taken < cut {
                disk.take(changes[taken])
                taken += 1
            }
            let (state, _) = try disk.lost(during: changes[cut], base: base.path, &random)
            if try Self.check(state, step, isDone: disk.acknowledged == 1) { done += 1 }
        }
        Battery.report(
            "power loss in \(step)", [("tries", tries), ("of changes", changes.count), ("done", done)])
    }

    @Test("I2, I16: an erasure flushes five times: its event and what it removes, twice each, and the journal")
    func flushes() throws {
        let directory = try TemporaryDirectory()
        #expect(try Self.child("make", .clearing, directory).wait() == .exited(0))
        let log = directory.path + ".log"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let environment = FaultShim.environment(under: directory.path, logIn: log, ignoresFlushes: false)
        #expect(try Self.child("erase", .clearing, directory, environment).wait() == .exited(0))
        var flushing: Set<Int32> = []
        var flushes = [0]
        for change in try FileChange.all(in: log) {
            switch change {
            case .open(let descriptor, let flags, _):
                if flags & (O_DSYNC | O_SYNC) != 0 { flushing.insert(descriptor) } else { flushing.remove(descriptor) }
            case .write(let descriptor, _, _): if flushing.contains(descriptor) { flushes[flushes.count - 1] += 1 }
            case .flush: flushes[flushes.count - 1] += 1
            case .acknowledge: flushes.append(0)
            default: break
            }
        }
        try #require(flushes.count == 4)
        #expect(flushes[1] == 1, "a message")
        #expect(flushes[2] == 5)
        Battery.report("flushes of an erasure", [("flushes", flushes[2])])
    }

    private static func golden(_ format: Int) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("MessageStoreCopiesTests/Golden/format-\(format)").path
    }

    private static func child(
        _ command: String, _ step: Step, _ directory: TemporaryDirectory, _ environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(
            [command, directory.path + "/store", "\(step.rawValue)", directory.path + "/copy"],
            environment: environment, untilReady: false)
    }

    private static func configuration(_ step: Step) -> MessageStore.Configuration {
        var configuration = MessageStore.Configuration.ofTests
        configuration.now = { Timestamp(milliseconds: 1_000) }
        configuration.automaticCompaction = nil
        if step.format != nil { configuration.privacy.key = nil }
        return configuration
    }

    private static func open(_ path: String, _ step: Step) throws -> MessageStore {
        try MessageStore.open(path, account: "me", configuration: configuration(step))
    }

    /// Checks that a step was done or never begun, and that it can be done now.
    ///
    /// - Returns: Whether it was done.
    private static func check(_ directory: TemporaryDirectory, _ step: Step, isDone: Bool) throws -> Bool {
        let identity = try String(contentsOfFile: directory.path + "/store/identity.json", encoding: .utf8)
        let store = try open(directory.path + "/store", step)
        defer { try? store.close() }
        #expect(try store.verify().isConsistent)
        if step.format != nil {
            let isUpgraded = identity.contains("\"format\":3")
            #expect(isUpgraded || !isDone)
            #expect(try store.events(limit: .max).map(\.position.rawValue) == Array(1...store.lastPosition().rawValue))
            #expect(try store.lastPosition().rawValue >= 400)
            return isUpgraded
        }
        #expect(try words(store, "h") == Array(repeating: "harmless", count: 40))
        let left = try words(store, "g").count { $0.contains(secret) }
        switch step {
        case .backup, .restore:
            #expect(left == 40)
            let path = directory.path + "/copy"
            let isThere = FileManager.default.fileExists(atPath: path)
            #expect(isThere || !isDone)
            guard isThere else { return false }
            let copy = try open(path, step)
            #expect(try words(copy, "g").count == 40 && words(copy, "i").count == (step == .restore ? 1 : 0))
            #expect(try copy.verify().isConsistent)
            try copy.close()
            return true
        case .cutting:
            #expect(left == 0)
            let cut = try store.statistics().cutEvents
            #expect(cut == 39 || cut == 0 && !isDone)
            try forget(store, directory)
            #expect(try store.statistics().cutEvents == 39)
            return cut > 0
        case .clearing, .values, .expiry, .retention, .upgradeOf1, .upgradeOf2:
            let rest = step == .retention ? 1 : 0
            #expect(left == rest || left == 40 && !isDone)
            if left == rest, step != .retention { try forget(store, directory) }
            return left == rest
        }
    }

    private static func forget(_ store: MessageStore, _ directory: TemporaryDirectory) throws {
        #expect(try store.compact().isErasureComplete)
        #expect(FileHunt.files(below: directory.path + "/store", having: secret) == [])
        #expect(try store.verify().isConsistent)
    }

    private static func words(_ store: MessageStore, _ conversation: String) throws -> [String] {
        try store.read { views in
            try views.timeline(of: .group(conversation), limit: 1000).elements.map { $0.content.text ?? "" }
        }
    }
}
#endif
