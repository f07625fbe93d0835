#if os(Linux)
import Foundation
import MessageStoreTestKit
import Testing

@Suite("Full disks and limits", .serialized, .timeLimit(.minutes(60)), .enabled(if: Battery.isOn, Battery.isOff))
struct FullDiskTests {
    /// A file system that can be filled, mounted for one test.
    private final class SmallDisk {
        struct NotAllowed: Error {}

        enum Kind: String, CaseIterable {
            case tmpfs, ext4
        }

        let place: TemporaryDirectory
        var path: String { place.path + "/mounted" }

        init(_ kind: Kind, kilobytes: Int) throws {
            place = try TemporaryDirectory()
            try FileManager.default.createDirectory(atPath: place.path + "/mounted", withIntermediateDirectories: false)
            switch kind {
            case .tmpfs: try Self.run(["mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path])
            case .ext4:
                let image = place.path + "/image"
                try Self.run(["truncate", "-s", "\(kilobytes)K", image])
                try Self.run(["mkfs.ext4", "-q", "-F", "-m", "0", image])
                try Self.run(["mount", "-o", "loop", image, path])
            }
        }

        deinit { try? Self.run(["umount", path]) }

        /// Whether such a file system can be mounted here.
        static func isAllowed(_ kind: Kind) -> Bool { (try? SmallDisk(kind, kilobytes: 4_096)) != nil }

        private static func run(_ words: [String]) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = words
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw NotAllowed() }
        }
    }

    @Test(
        "I2, I10: a disk that fills up, and one that is full, cost nothing that was acknowledged",
        arguments: ["tmpfs", "ext4"])
    func fillsUp(name: String) throws {
        let kind = try #require(SmallDisk.Kind(rawValue: name))
        guard SmallDisk.isAllowed(kind) else {
            print("battery: full \(name): skipped, nothing can be mounted here")
            return
        }
        let worker = Worker()
        var random = SplitMix64(seed: Battery.seed)
        var tries = 0
        for round in 0..<Battery.tries(short: kind == .tmpfs ? 2 : 0, long: 300) {
            let seed = UInt64(round)
            let disk = try SmallDisk(
                kind,
                kilobytes: kind == .ext4
                    ? 3_072 + random.nextIndex(3_072) : 600 + random.nextIndex(Battery.tries(short: 600, long: 3_000)))
            let ballast = disk.path + "/ballast"
            try Data(count: 200 << 10).write(to: URL(fileURLWithPath: ballast))
            let what: Comment = "\(name), round \(round)"
            var acknowledged: UInt64 = 0
            // Fills the disk; then begins on the full one, with views and without.
            for attempt in 0..<4 {
                if attempt == 2 { try? FileManager.default.removeItem(atPath: disk.path + "/store/views") }
                let command = attempt == 0 ? "append" : "persist"
                let child = try ChildProcess(
                    [command, disk.path + "/store", "\(seed)", "\(attempt == 0 ? 3_000 : 3)"], untilReady: false)
                let end = try child.wait(limit: 300)
                acknowledged = max(acknowledged, child.acknowledged.max() ?? 0)
                if case .killed = end { Issue.record("\(what), attempt \(attempt): ended by \(end)") }
                tries += 1
            }
            try FileManager.default.removeItem(atPath: ballast)
            // There is little room: the check happens on a copy.
            let copy = try TemporaryDirectory()
            try? FileManager.default.copyItem(atPath: disk.path + "/store", toPath: copy.path + "/store")
            let answer = try worker.ask(["state", copy.path + "/store", "\(seed)", "\(acknowledged)"])
            guard case .line(let line) = answer, line.hasPrefix("good") else {
                Issue.record("\(what): \(answer)")
                continue
            }
        }
        Battery.report("full \(name)", ["tries": tries])
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
                    "ulimit -\(limit.option) \(value) || exit 9; trap '' XFSZ; exec '\(child)' append '\(directory.path)/store' \(seed) 40"
                let process = try ChildProcess(shell: script)
                let end = try process.wait()
                tries += 1
                // A program that cannot be loaded at all says nothing of the store.
                if end == .exited(127) || end == .exited(126) { continue }
                if case .killed(let signal) = end, limit.option != "v" {
                    Issue.record("\(limit.testDescription) \(value): ended by signal \(signal)")
                }
                let last = process.acknowledged.max() ?? 0
                let answer = try worker.ask(["state", directory.path + "/store", "\(seed)", "\(last)"])
                guard case .line(let line) = answer, line.hasPrefix("good") else {
                    Issue.record("\(limit.testDescription) \(value), seed \(seed): \(answer)")
                    continue
                }
            }
        }
        Battery.report(limit.testDescription, ["tries": tries])
    }
}
#endif
