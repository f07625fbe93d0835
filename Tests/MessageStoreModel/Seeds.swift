import Foundation

/// How much a test does: each behaviour once in a plain run, and more where `MESSAGESTORE_TESTS` is `full`, as in `.ci/run`.
package enum TestSize {
    package static let isFull = ProcessInfo.processInfo.environment["MESSAGESTORE_TESTS"] == "full"

    /// One of two amounts, by the size of the run.
    package static func of<Amount>(plain: Amount, full: Amount) -> Amount { isFull ? full : plain }
}

/// The seeds of random tests: one in a plain run, several in a full one, as many as `MESSAGESTORE_SEEDS` says in a long one
/// (`.ci/long`), or the one that `MESSAGESTORE_SEED` repeats after a failure.
package enum Seeds {
    /// Whether one seed is repeated after a failure.
    package static var isRepeat: Bool { ProcessInfo.processInfo.environment["MESSAGESTORE_SEED"] != nil }

    /// The seeds 1 to `count` of a full run; the first one in a plain run.
    package static func first(_ count: UInt64) -> ClosedRange<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["MESSAGESTORE_SEED"].flatMap({ UInt64($0) }) { return seed...seed }
        let standard = TestSize.of(plain: 1, full: count)
        return 1...max(environment["MESSAGESTORE_SEEDS"].flatMap { UInt64($0) } ?? standard, 1)
    }
}
