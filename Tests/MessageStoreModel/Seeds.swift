import Foundation

/// The seeds of random tests: few in a plain run, as many as `MESSAGESTORE_SEEDS` says in a long one (`.ci/long`), or the
/// one that `MESSAGESTORE_SEED` repeats after a failure.
package enum Seeds {
    /// The seeds 1 to `count`, unless the environment asks for others.
    package static func first(_ count: UInt64) -> ClosedRange<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["MESSAGESTORE_SEED"].flatMap({ UInt64($0) }) { return seed...seed }
        return 1...max(environment["MESSAGESTORE_SEEDS"].flatMap { UInt64($0) } ?? count, 1)
    }
}
