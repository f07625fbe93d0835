import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

@Suite("Store against model")
struct ModelTests {
    /// One seed from the environment variable `MESSAGESTORE_SEED`, else the first `MESSAGESTORE_SEEDS` ones.
    static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["MESSAGESTORE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
        let count = environment["MESSAGESTORE_SEEDS"].flatMap { UInt64($0) } ?? 40
        return Array(1...max(count, 1))
    }

    static var eventsPerSeed: Int {
        ProcessInfo.processInfo.environment["MESSAGESTORE_EVENTS"].flatMap { Int($0) } ?? 400
    }

    @Test("I3, I4, I5: a store answers as the model does, whatever happens to it", arguments: seeds)
    func agrees(seed: UInt64) throws {
        let run = try ModelRun(seed: seed)
        do {
            try run.run(Self.eventsPerSeed)
        } catch {
            Issue.record("seed \(seed), step \(run.step) (MESSAGESTORE_SEED=\(seed) runs it alone): \(error)")
        }
    }
}
