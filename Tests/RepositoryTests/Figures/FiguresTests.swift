import Foundation
import Testing

@Suite("Measured figures in the documents are those of Docs/Benchmarks/results.json")
struct FiguresTests {
    private static let raw = "raw LMDB append of the same bytes"
    private static let grdb = "GRDB, WAL, synchronous FULL"
    private static let (fitted, stress) = ("(fitted workload)", "(stress workload)")
    private static let (ubuntu, gitter) = ("ubuntu-irc", "gitter-fcc")

    private let report: BenchmarkReport

    init() throws {
        report = try BenchmarkReport.read()
    }

    @Test("the table of README.md")
    func readMe() throws {
        let peers = [
            Self.raw, "MessageStore", Self.grdb, "RocksDB, synchronous batches",
            "LMDB, log and two indexes in one transaction",
        ]
        var expected = try peers.map { peer in
            let rate = try self.rate(Self.fitted, peer)
            let ratio = try self.rate(Self.fitted) / rate
            return [thousands(rate), peer == "MessageStore" ? "" : number(ratio, ratio < 1 ? 2 : 1) + " ×"]
        }
        let fold = try report.value("Replay of", "fold in memory (state at a position)", "events/s")
        expected.append([thousands(fold), ""])
        let table = try self.table(of: "README.md", under: "## Speed")
        #expect(table.map { $0[1...].map { $0.replacing("**", with: "") } } == expected)
    }

    @Test("the bars of Docs/Speed.md")
    func bars() throws {
        let logs = [Self.fitted, Self.ubuntu, Self.gitter]
        let againstGRDB = try (logs + [Self.stress]).map { number(try rate($0) / rate($0, Self.grdb), 1) }
        let againstRaw = try logs.map { number(try rate($0) / rate($0, Self.raw), 2) }
        let longest = try logs.map { log in
            let microseconds = try cost(log, "longest package in µs")
            let milliseconds = number(microseconds / 1000, microseconds < 10_000 ? 1 : 0)
            return "\(number(try microseconds / cost(log, "median package in µs", Self.raw), 0)) (\(milliseconds) ms)"
        }
        let bytes = try logs.map { number(try cost($0, "bytes written a message"), 0) }
        let memory = try logs.map { number(try cost($0, "peak memory in MB"), 0) + " MB" }
        let rates = "\(number(try rate(Self.fitted), 0)) : \(number(try rate(Self.fitted, Self.raw), 0))"
        let bytesAtTenMillion = try scale("bytes written a message since 0")
        let expected = [
            ["\(againstGRDB[0]) (stress workload \(againstGRDB[3]))", againstGRDB[1], againstGRDB[2]],
            ["\(againstRaw[0]) (\(rates))", againstRaw[1], againstRaw[2]],
            [number(try scale("against the tier of 1 M"), 2), "–", "–"],
            longest,
            ["\(bytes[0]) (\(number(bytesAtTenMillion, 0)) over 10 M events)", bytes[1], bytes[2]],
            [
                number(try replay("rebuild of all projections", "against the scan"), 2) + ", "
                    + number(try replay("rebuild of all projections", "against the sync"), 1) + " ×", "", "",
            ],
            [number(try replay("fold in memory (state at a position)", "events/s") / 1_000_000, 2) + " M", "", ""],
            [
                number(try opening("closed", "open in ms"), 2) + " ms; "
                    + number(try opening("kill -9 with a full buffer", "open in ms") / 1000, 2) + " s ("
                    + number(try opening("kill -9 with a full buffer", "events to fold"), 0) + " events to fold)", "",
                "",
            ],
            [try query("first page of the conversation list, 50", 0), "", ""],
            [try query("timeline, newest 20", 0), "", ""],
            [try query("unread total", 1), "", ""],
            [number(try report.value("One durable send", "MessageStore", "median against raw"), 2) + " ×", "", ""],
            memory,
        ]
        #expect(try table(of: "Docs/Speed.md", under: "## Bars").map { Array($0[1...3]) } == expected)
    }

    @Test("what Docs/Speed.md says below its bars")
    func sentences() throws {
        let words = try text(of: "Docs/Speed.md").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let lastWrite = try 1 - report.value(Self.fitted, "MessageStore", "events/s, written out") / rate(Self.fitted)
        let reader = "Sync of 1000000 events while the app reads"
        let (p99, longest) = (
            try report.value(reader, 840, "p99 in ms"), try report.value(reader, 840, "max in ms")
        )
        let kept = try report.value(reader, "with reader and observer", "kept")
        let visible = try report.value("Two acknowledgements", "visible", "against durable")
        for sentence in [
            "they are \(number(lastWrite * 100, 0)) % lower", "leave \(number(kept, 2)) of the sync's rate",
            "p99 is \(number(p99, 1)) ms, its longest read \(number(longest, 1)) ms",
            "come in at \(number(visible, 1)) times the rate of durable ones",
            "On this disk it does \(thousands(try rate(Self.fitted, Self.grdb)))/s",
            "\(number(try scale("longest package in µs") / 1000, 0)) ms on the way to ten million",
        ] {
            #expect(words.contains(sentence))
        }
    }
}

extension FiguresTests {
    private func rate(_ log: String, _ peer: String = "MessageStore") throws -> Double {
        try report.value(log, peer, "events/s, readable")
    }

    private func cost(_ log: String, _ column: String, _ peer: String = "MessageStore") throws -> Double {
        try report.value(log, peer, column)
    }

    private func scale(_ column: String) throws -> Double {
        try report.value("Sync by store size", 10_000_000, column)
    }

    private func replay(_ step: String, _ column: String) throws -> Double {
        try report.value("Replay of", step, column)
    }

    private func opening(_ store: String, _ column: String) throws -> Double {
        try report.value("Opening a store of ten million events", store, column)
    }

    private func query(_ query: String, _ digits: Int) throws -> String {
        let section = "Queries on 1000000 events"
        let own = number(try report.value(section, query, "median in µs"), digits)
        return "\(own) µs; GRDB \(number(try report.value(section, query, "GRDB median in µs"), 0)) µs"
    }

    private func number(_ value: Double, _ digits: Int) -> String {
        value.formatted(
            .number.precision(.fractionLength(digits)).locale(Locale(identifier: "en_US")).rounded(
                rule: .toNearestOrAwayFromZero))
    }

    private func thousands(_ value: Double) -> String { number((value / 1000).rounded() * 1000, 0) }

    private func text(of document: String) throws -> String {
        try RepositoryText.text(of: RepositoryText.root.appendingPathComponent(document))
    }

    /// The cells of the first table under a heading, without its head.
    private func table(of document: String, under heading: String) throws -> [[String]] {
        let section = try #require(try text(of: document).components(separatedBy: heading + "\n").last)
        let rows = section.split(separator: "\n").drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return rows.dropFirst(2).map { row in
            row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }
}
