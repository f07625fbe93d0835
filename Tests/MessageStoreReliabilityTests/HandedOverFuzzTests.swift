#if os(macOS) || os(Linux)
import Testing

@Suite("Shipped objects and inbox files that nobody wrote", .serialized, .timeLimit(.minutes(120)))
struct HandedOverFuzzTests {
    @Test("shipped objects with broken bytes are refused or say the same; with right checksums they end nothing")
    func shipped() throws {
        let tries = Battery.tries(plain: 500, short: 20_000, long: 700_000)
        try run("shipped objects", tries, perRound: 4_000) { directory, seed, count in
            ["fuzz-shipped", directory, "\(seed)", "\(count)", "100"]
        }
    }

    @Test("of files in an inbox the valid ones are recorded once, and all others go to bad with a reason")
    func inbox() throws {
        let tries = Battery.tries(plain: 150, short: 5_000, long: 300_000)
        try run("files in an inbox", tries, perRound: 600) { directory, seed, count in
            ["fuzz-inbox", directory, "\(seed)", "\(count)"]
        }
    }

    /// Asks a child, which a crash ends, round by round; each has a seed of its own.
    private func run(
        _ what: String, _ tries: Int, perRound: Int,
        _ question: (_ directory: String, _ seed: UInt64, _ count: Int) -> [String]
    ) throws {
        let worker = Worker()
        let place = try TemporaryDirectory()
        var figures: [String: Int] = [:]
        var (done, seed) = (0, Battery.seed &* 1_000_000)
        while done < tries {
            let count = min(perRound, tries - done)
            let words = question(place.path + "/\(seed)", seed, count)
            let answer = try worker.ask(words, limit: 1200)
            (done, seed) = (done + count, seed + 1)
            guard case .line(let line) = answer, !line.hasPrefix("bad"), !line.hasPrefix("error") else {
                Issue.record("\(words[0]), seed \(words[2]), \(count) tries: \(answer)")
                continue
            }
            for figure in line.split(separator: "\t") {
                let parts = figure.split(separator: " ")
                figures[String(parts[0]), default: 0] += Int(parts[1]) ?? 0
            }
        }
        Battery.report(what, [("tries", tries)] + figures.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
#endif
