#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import MessageStoreModel
import MessageStoreTestKit
import Testing

@Suite(
    "Sealed stores after SIGKILL", .enabled(if: TemporaryStore.canSeal), .serialized, .timeLimit(.minutes(60)))
struct SealedKillTests {
    private static let killsPerStore = 10
    /// Kills in all; the environment variable `MESSAGESTORE_KILLS` changes it. A thousand take about ten minutes.
    private static var kills: Int {
        let chosen = ProcessInfo.processInfo.environment["MESSAGESTORE_KILLS"].flatMap { Int($0) }
        return max(chosen ?? TestSize.of(plain: 20, full: 60), 1)
    }

    private let place: TemporaryDirectory
    private let ledger: NonceFile

    init() throws {
        place = try TemporaryDirectory()
        ledger = try NonceFile(place.path + "/nonces")
    }

    @Test(
        "after kills and with directories set back no nonce comes twice, no file has a word, and all that was durable is there"
    )
    func kills() throws {
        let stores = (Self.kills + Self.killsPerStore - 1) / Self.killsPerStore
        for seed in 1...UInt64(stores) {
            var killed = try KilledStore(seed: seed, ledger: ledger)
            for round in 1...Self.killsPerStore {
                try killed.kill(round)
                let found = killed.filesWithWords()
                #expect(found.isEmpty, "seed \(seed), kill \(round): \(found.sorted())")
                try killed.check(round, isLast: round == Self.killsPerStore)
                try killed.setBack(round)
            }
            let left = killed.filesWithWords()
            #expect(left.isEmpty, "seed \(seed): \(left.sorted())")
        }
        let summary = try NonceFile.summary(of: ledger.path)
        #expect(summary.repeats == 0)
        let kills = stores * Self.killsPerStore
        let isLong = summary.seals > 50 * kills && summary.keys > 5 * kills
        #expect(isLong, "the list has \(summary)")
        Battery.report("kills of sealed stores", [("tries", kills), ("seals", summary.seals), ("keys", summary.keys)])
    }

    @Test("files of each kind have the words without a key, and none has with one", arguments: [true, false])
    func hunt(isSealed: Bool) throws {
        var killed = try KilledStore(seed: 1, ledger: isSealed ? ledger : nil)
        try killed.runOnce()
        let found = killed.filesWithWords()
        // The index of the search has parts of words alone.
        let kinds: Set = [
            "store/identity.json", "store/log", "store/views", "lens", "waiting", "place", "backups", "segments",
        ]
        let all = FileHunt.kinds(of: FileHunt.names(below: killed.scene.directory))
        #expect(all.isSuperset(of: kinds.union(["store/lagging", "inbox"])))
        if isSealed {
            #expect(found.isEmpty, "\(found.sorted())")
        } else {
            let missing = kinds.subtracting(FileHunt.kinds(of: found))
            #expect(missing.isEmpty, "\(missing.sorted())")
        }
        try killed.check(1, isLast: true)
    }

    @Test("a pair that comes twice is seen in the list, also one of two processes")
    func repeatedPair() throws {
        let file = place.path + "/repeated"
        let pairs: [UInt64] = [1, 1, 1, 2, 2, 1, 1, 2]
        for half in [pairs[..<4], pairs[4...]] {
            let bytes = half.flatMap { number in withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) } }
            let before = FileManager.default.contents(atPath: file) ?? Data()
            try (before + Data(bytes)).write(to: URL(fileURLWithPath: file))
        }
        let summary = try NonceFile.summary(of: file)
        #expect(summary.seals == 4 && summary.keys == 2 && summary.repeats == 1)
    }
}
#endif
