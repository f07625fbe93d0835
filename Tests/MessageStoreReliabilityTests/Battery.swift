import Foundation
import Testing

/// How much is tried.
///
/// `MESSAGESTORE_BATTERY=short` runs some minutes of it, as CI does, `MESSAGESTORE_BATTERY=long` an hour or more; without it
/// there is none, because most tests measure patience and need a quiet machine. `MESSAGESTORE_BATTERY_PART=50` divides the
/// tries of the long form, to see what they cost. `MESSAGESTORE_BATTERY_SEED` is another seed; a failure prints what its try
/// needs to be done again.
enum Battery {
    private static let environment = ProcessInfo.processInfo.environment
    private static let form = environment["MESSAGESTORE_BATTERY"]
    /// By how much the tries of the long form are divided.
    static let part = environment["MESSAGESTORE_BATTERY_PART"].flatMap { Int($0) } ?? 1

    static let isOn = form != nil
    static let isLong = form == "long"
    static let isOff: Comment = "MESSAGESTORE_BATTERY is neither short nor long"

    static let seed = environment["MESSAGESTORE_BATTERY_SEED"].flatMap { UInt64($0) } ?? 1

    /// The number of tries of the form that runs.
    static func tries(short: Int, long: Int) -> Int { isLong ? max(1, long / part) : short }

    /// The same of a test that also runs where there is no battery.
    static func tries(plain: Int, short: Int, long: Int) -> Int { isOn ? tries(short: short, long: long) : plain }

    /// Prints the figures of a test, one line; lines of the same name can be summed.
    static func report(_ what: String, _ figures: [(String, Int)]) {
        let words = figures.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        print("battery: \(what): \(words)")
    }
}
