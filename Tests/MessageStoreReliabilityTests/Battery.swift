import Foundation
import Testing

/// How much is tried.
///
/// `MESSAGESTORE_BATTERY=short` runs some minutes of it, as CI does, `MESSAGESTORE_BATTERY=long` hours; without it there is
/// none, because most tests measure patience and need a quiet machine. `MESSAGESTORE_BATTERY_SEED` is another seed; a failure
/// prints what its try needs to be done again.
enum Battery {
    private static let form = ProcessInfo.processInfo.environment["MESSAGESTORE_BATTERY"]

    static let isOn = form != nil
    static let isLong = form == "long"
    static let isOff: Comment = "MESSAGESTORE_BATTERY is neither short nor long"

    static let seed = ProcessInfo.processInfo.environment["MESSAGESTORE_BATTERY_SEED"].flatMap { UInt64($0) } ?? 1

    /// The number of tries of the form that runs.
    static func tries(short: Int, long: Int) -> Int { isLong ? long : short }

    /// Prints the figures of a test, one line, for the closing report.
    static func report(_ what: String, _ figures: KeyValuePairs<String, Int>) {
        let words = figures.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print("battery: \(what): \(words)")
    }
}
