import Foundation

/// How much is tried: a short form with every run of the tests, a long one on demand.
///
/// `MESSAGESTORE_BATTERY=long` chooses the long form, `MESSAGESTORE_BATTERY_SEED` another seed; a failure prints the seed
/// of its try.
enum Battery {
    static let isLong = ProcessInfo.processInfo.environment["MESSAGESTORE_BATTERY"] == "long"

    static let seed = ProcessInfo.processInfo.environment["MESSAGESTORE_BATTERY_SEED"].flatMap { UInt64($0) } ?? 1

    /// The number of tries of the form that runs.
    static func tries(short: Int, long: Int) -> Int { isLong ? long : short }

    /// Prints the figures of a test, one line, for the closing report.
    static func report(_ what: String, _ figures: KeyValuePairs<String, Int>) {
        let words = figures.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("battery: \(what): \(words)")
    }
}
