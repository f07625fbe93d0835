import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

@Suite("Store against model")
struct ModelTests {
    /// One seed from the environment variable `MESSAGESTORE_SEED`, else a fixed range of them.
    static var seeds: [UInt64] {
        if let seed = ProcessInfo.processInfo.environment["MESSAGESTORE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = ProcessInfo.processInfo.environment["MESSAGESTORE_SEEDS"].flatMap { UInt64($0) } ?? 40
        return Array(1...max(count, 1))
    }

    @Test("I3, I4, I5: a store answers as the model does, whatever happens to it", arguments: seeds)
    func agrees(seed: UInt64) throws {
        let run = try ModelRun(seed: seed)
        do {
            try run.run(400)
        } catch {
            Issue.record("seed \(seed), step \(run.step) (MESSAGESTORE_SEED=\(seed) runs it alone): \(error)")
        }
    }
}
