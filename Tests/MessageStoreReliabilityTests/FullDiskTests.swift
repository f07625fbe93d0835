#if os(Linux)
import Foundation
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

@Suite("Full disks and limits", .serialized, .timeLimit(.minutes(60)), .enabled(if: Battery.isOn, Battery.isOff))
struct FullDiskTests {
    @Test(
        "I2, I10: a disk in memory that fills up, and one that is full, cost nothing that was acknowledged",
        .enabled(if: SmallDisk.isAvailable, "no file system can be mounted here"))
    func tmpfs() throws {
        var random = SplitMix64(seed: Battery.seed)
        let rounds = Battery.tries(short: 2, long: 300)
        for round in 0..<rounds {
            let kilobytes = 600 + random.nextIndex(Battery.tries(short: 600, long: 1_500))
            try SmallDisk.with(kilobytes: kilobytes) {
                try Self.fillUp($0.path, seed: UInt64(round), "tmpfs, round \(round)")
            }
        }
        Battery.report("full tmpfs", [("tries", rounds * Self.attempts)])
    }

    @Test(
        "I2, I10: an ext4 that fills up, and one that is full, cost nothing that was acknowledged",
        .enabled(if: Battery.isLong, "only in the long form"),
        .enabled(if: SmallDisk.isAvailable, "no file system can be mounted here"))
    func ext4() throws {
        var random = SplitMix64(seed: Battery.seed)
        let rounds = Battery.tries(short: 1, long: 300)
        for round in 0..<rounds {
            let disk = try LoopDisk(kilobytes: 4_096)
            // Each commit is two of the journal's, so the disk is nearly full from the beginning.
            try disk.fill(leaving: 600 + random.nextIndex(900))
            try Self.fillUp(disk.path, seed: UInt64(round), "ext4, round \(round)")
        }
        Battery.report("full ext4", [("tries", rounds * Self.attempts)])
    }

    private static let attempts = 4

    /// Fills a disk; then begins on the full one, with views and without; and checks what is there once there is room.
    private static func fillUp(_ path: String, seed: UInt64, _ what: Comment) throws {
        let ballast = path + "/ballast"
        try Data(count: 200 << 10).write(to: URL(fileURLWithPath: ballast))
        var acknowledged: UInt64 = 0
        for attempt in 0..<attempts {
            if attempt == 2 { try? FileManager.default.removeItem(atPath: path + "/store/views") }
            let command = attempt == 0 ? "append" : "persist"
            let child = try ChildProcess(
                [command, path + "/store", "\(seed)", "\(attempt == 0 ? 3_000 : 3)"], untilReady: false)
            let end = try child.wait(limit: 300)
            acknowledged = max(acknowledged, child.acknowledged.max() ?? 0)
            // Closing reports that the views could not be written; the events are in the log by then.
            let isExpected = [.exited(0), .exited(3), .exited(4), .exited(5)].contains(end)
            #expect(isExpected, "\(what), attempt \(attempt): ended by \(end)")
        }
        try FileManager.default.removeItem(atPath: ballast)
        // There is little room: the check happens on a copy.
        let copy = try TemporaryDirectory()
        try? FileManager.default.copyItem(atPath: path + "/store", toPath: copy.path + "/store")
        let answer = try Worker().ask(["state", copy.path + "/store", "\(seed)", "\(acknowledged)"])
        guard case .line(let line) = answer, line.hasPrefix("good") else {
            Issue.record("\(what): \(answer)")
            return
        }
    }

    /// An ext4 in a file, mounted for one test.
    private final class LoopDisk {
        struct Failed: Error {}

        private let place: TemporaryDirectory
        var path: String { place.path + "/mounted" }

        init(kilobytes: Int) throws {
            place = try TemporaryDirectory()
            let image = place.path + "/image"
            try FileManager.default.createDirectory(atPath: place.path + "/mounted", withIntermediateDirectories: false)
            try Self.run(["truncate", "-s", "\(kilobytes)K", image])
            try Self.run(["mkfs.ext4", "-q", "-F", "-m", "0", image])
            try Self.run(["mount", "-o", "loop", image, path])
        }

        deinit { try? Self.run(["umount", path]) }

        /// Takes all room but for some kilobytes.
        func fill(leaving kilobytes: Int) throws {
            let free = try FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? Int ?? 0
            try Data(count: max(0, free - kilobytes << 10)).write(to: URL(fileURLWithPath: path + "/filler"))
        }

        private static func run(_ words: [String]) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = words
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failed() }
        }
    }

    /// A limit of the shell's `ulimit`, and the values that are tried.
    struct Limit: CustomTestStringConvertible, Sendable {
        let option: String
        let values: [Int]
        var testDescription: String { "ulimit -\(option)" }
    }

    @Test(
        "I2, I10: limits of a process cost nothing that was acknowledged",
        arguments: [
            Limit(option: "f", values: [8, 40, 100, 200, 400, 800]),
            Limit(option: "n", values: [4, 6, 8, 10, 12, 16, 20, 24]),
            Limit(option: "v", values: [400_000, 1_000_000, 2_500_000, 3_500_000]),
        ])
    func limited(limit: Limit) throws {
        let worker = Worker()
        let child = try ChildProcess.executable().path
        var tries = 0
        for round in 0..<Battery.tries(short: 1, long: 40) {
            for value in limit.values {
                let directory = try TemporaryDirectory()
                let seed = UInt64(round)
                let value = value + round * max(value / 97, 1)
                let script =
                    "ulimit -\(limit.option) \(value) || exit 9; trap '' XFSZ; exec '\(child)' limited '\(directory.path)/store' \(seed) 40"
                let process = try ChildProcess(shell: script)
                tries += 1
                // Dispatch waits for ever where it gets no memory for a thread: then it is a kill.
                var end = ChildProcess.End.killed(signal: SIGKILL)
                do { end = try process.wait(limit: 20) } catch ChildProcess.Failure.hangs where limit.option == "v" {}
                // A program that cannot be loaded at all says nothing of the store.
                if end == .exited(127) || end == .exited(126) { continue }
                // Swift itself ends by a signal where it gets no memory.
                if limit.option != "v" || end == .exited(65) || end == .exited(66) {
                    let expected: [ChildProcess.End] = [.exited(0), .exited(3)]
                    #expect(expected.contains(end), "\(limit.testDescription) \(value): ended by \(end)")
                }
                let last = process.acknowledged.max() ?? 0
                let answer = try worker.ask(["state", directory.path + "/store", "\(seed)", "\(last)"])
                guard case .line(let line) = answer, line.hasPrefix("good") else {
                    Issue.record("\(limit.testDescription) \(value), seed \(seed): \(answer)")
                    continue
                }
            }
        }
        Battery.report(limit.testDescription, [("tries", tries)])
    }
}
#endif
