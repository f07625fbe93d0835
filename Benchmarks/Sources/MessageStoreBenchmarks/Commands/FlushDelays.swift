internal import ArgumentParser

/// The value of `--flush-delay`: milliseconds, separated by commas.
struct FlushDelays: ExpressibleByArgument {
    let milliseconds: [Int]

    init(milliseconds: [Int]) { self.milliseconds = milliseconds }

    /// Refuses what is no number, and more than a minute.
    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        milliseconds = parts.compactMap { $0 }.filter { (0...60_000).contains($0) }
        guard milliseconds.count == parts.count else { return nil }
    }

    var defaultValueDescription: String { milliseconds.map(String.init).joined(separator: ",") }
}
