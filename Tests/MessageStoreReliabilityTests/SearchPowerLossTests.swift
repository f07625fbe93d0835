#if os(Linux)
import Foundation
import MessageStoreWorkload
import Testing

/// The short form of this test takes seconds and runs with all others; `Battery` says how much else there is.
@Suite(
    "Search: power loss while the index is made", .serialized, .timeLimit(.minutes(120)),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct SearchPowerLossTests {
    @Test(
        "I2, I11: after a power loss at any moment searches find what a scan finds, and what was erased by then is in no file"
    )
    func anyMoment() throws {
        let place = try TemporaryDirectory()
        let base = place.path + "/files"
        let changes = try Self.record(base, log: place.path + "/log")
        let worker = Worker()
        var random = SplitMix64(seed: Battery.seed)
        var disk = SimulatedDisk()
        let tries = Battery.tries(plain: 3, short: 150, long: 2_000)
        var (taken, erased) = (0, 0)
        for part in 0..<tries {
            let cut = (part * changes.count + random.nextIndex(changes.count)) / tries
            while taken < cut {
                disk.take(changes[taken])
                taken += 1
            }
            let (state, words) = try disk.lost(during: changes[cut], base: base, &random)
            let what: Comment = "seed \(Battery.seed), cut \(cut) of \(changes.count), \(words)"
            if disk.acknowledged > 0 {
                erased += 1
                let files = try Self.filesWithSecrets(in: state.path)
                #expect(files == [], what)
            }
            let answer = try worker.ask(["search", state.path + "/store"])
            guard case .line(let line) = answer, line.hasPrefix("good\t") else {
                Issue.record("\(what): \(answer)")
                continue
            }
        }
        #expect(disk.acknowledged > 0 && erased > tries / 10)
        Battery.report(
            "power loss while the index follows",
            [("states", tries), ("after an erasure", erased), ("of changes", changes.count)])
    }

    /// What a child does to its files that records, indexes, merges and erases.
    private static func record(_ base: String, log: String) throws -> [FileChange] {
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: false)
        let child = try ChildProcess(
            ["search-erase", base + "/store", "\(Battery.seed)"],
            environment: FaultShim.environment(under: base, logIn: log, ignoresFlushes: false), untilReady: false)
        try #require(try child.wait() == .exited(0))
        return [.makeDirectory(path: base)] + (try FileChange.all(in: log))
    }

    private static func filesWithSecrets(in path: String) throws -> [String] {
        // Parts of both words of the child's secret; the index keeps no beginning of a word with the rest of it.
        let parts = [Data("vwkjplmb".utf8), Data("龘靐".utf8)]
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return files.filter { file in
            guard !file.hasSuffix("lock.mdb"), let bytes = FileManager.default.contents(atPath: path + "/" + file)
            else { return false }
            return parts.contains { bytes.range(of: $0) != nil }
        }
    }
}
#endif
