#if os(macOS) || os(Linux)
import Foundation
import Testing

@Suite("Opening a large store", .serialized, .timeLimit(.minutes(60)), .enabled(if: Battery.isOn, Battery.isOff))
struct OpeningTests {
    private static let rounds = 21

    /// Each opening is a process of its own, with the files in the page cache.
    @Test("a store that was closed opens at once, whatever its size")
    func closed() throws {
        let directory = try TemporaryDirectory()
        let store = directory.path + "/store"
        let events = Battery.tries(short: 20_000, long: 10_000_000)
        let filled = try Worker().ask(["fill", store, "\(events)"], limit: 3_000)
        guard case .line(let line) = filled, line.hasPrefix("filled") else {
            Issue.record("the store could not be made: \(filled)")
            return
        }
        for way in ["reading", "writing"] {
            var (opened, listed) = ([Int](), [Int]())
            for _ in 0..<Self.rounds {
                let answer = try Worker().ask(["time", store, way])
                guard case .line(let line) = answer, line.hasPrefix("opened") else {
                    Issue.record("\(way): \(answer)")
                    return
                }
                let numbers = line.split(separator: "\t").dropFirst().compactMap { Int($0) }
                opened.append(numbers[0])
                listed.append(numbers[1])
            }
            opened.sort()
            listed.sort()
            // Whole pages or rows that are read make seconds of this, so that a slow machine is far from it.
            #expect(opened[Self.rounds / 2] < 200_000)
            Battery.report(
                "opening for \(way)",
                [
                    ("events", events), ("median µs", opened[Self.rounds / 2]), ("maximum µs", opened[Self.rounds - 1]),
                    ("median µs with a list", listed[Self.rounds / 2]),
                ])
        }
    }
}
#endif
