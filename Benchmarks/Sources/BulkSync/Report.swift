internal import Foundation

/// Rates of the measured steps, one a round, and how they compare.
struct Report {
    private let events: Int
    private let packageSize: Int
    private var names: [String] = []
    private var rates: [String: [Double]] = [:]
    private var notes: [(name: String, value: Int)] = []

    init(events: Int, packageSize: Int) {
        self.events = events
        self.packageSize = packageSize
    }

    mutating func measure(_ name: String, _ count: Int, _ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try body()
        let seconds = start.duration(to: .now) / .seconds(1)
        if rates[name] == nil { names.append(name) }
        rates[name, default: []].append(Double(count) / seconds)
    }

    mutating func note(_ name: String, _ value: Int) {
        notes.append((name, value))
    }

    func printTable() {
        print("\(events) events in packages of \(packageSize), full durability\n")
        print("| step | median events/s | min | max | against raw append | against indexes in the transaction |")
        print("| --- | --- | --- | --- | --- | --- |")
        let raw = median("raw append of the same bytes")
        let naive = median("indexes in the package's transaction")
        for name in names {
            let values = (rates[name] ?? []).sorted()
            let middle = median(name)
            let cells = [
                name, "\(Int(middle))", "\(Int(values.first ?? 0))", "\(Int(values.last ?? 0))",
                String(format: "%.2f", middle / raw), String(format: "%.1f", middle / naive),
            ]
            print("| \(cells.joined(separator: " | ")) |")
        }
        print("")
        for note in notes { print("- \(note.name): \(note.value)") }
    }

    private func median(_ name: String) -> Double {
        let values = (rates[name] ?? []).sorted()
        return values.isEmpty ? .nan : values[values.count / 2]
    }

    /// Bytes that this process has sent to the block layer, where the system tells (Linux).
    static func bytesWritten() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix("write_bytes: ") {
            return Int(line.dropFirst("write_bytes: ".count))
        }
        return nil
    }
}
