import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Store against model")
struct ModelTests {
    static let seeds = Seeds.first(6)

    static var eventsPerSeed: Int {
        ProcessInfo.processInfo.environment["MESSAGESTORE_EVENTS"].flatMap { Int($0) } ?? 400
    }

    @Test("I3, I4, I5: a store answers as the model does, whatever happens to it", arguments: seeds)
    func agrees(seed: UInt64) {
        run(seed, Self.eventsPerSeed)
    }

    /// In young stores counts return to nothing, and users are named for the first time.
    @Test("I3, I4, I5: young stores, many of them", arguments: seeds)
    func young(seed: UInt64) {
        // The seed of a failure is that of one store.
        let range = Seeds.isRepeat ? seed...seed : seed * 1_000...seed * 1_000 + 7
        for seed in range { run(seed, 6 + Int(seed % 40)) }
    }

    private func run(_ seed: UInt64, _ count: Int) {
        do {
            let run = try ModelRun(seed: seed)
            do {
                try run.run(count)
            } catch {
                Issue.record(
                    "seed \(seed) of \(count) events, step \(run.step) (MESSAGESTORE_SEED runs one seed): \(error)"
                )
            }
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
    }
}
