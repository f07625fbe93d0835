import Foundation
import Testing

@Suite("Measured figures in the documents are those of Docs/Benchmarks/results.json")
struct FiguresTests {
    private static let raw = "raw LMDB append of the same bytes"
    private static let grdb = "GRDB, WAL, synchronous FULL"
    private static let grdbEvents = "GRDB with an event table, WAL, synchronous FULL"
    private static let stream = "MessageStore, packages as a stream"
    private static let (fitted, stress) = ("(fitted workload)", "(stress workload)")
    private static let workloads = [fitted, stress, "gitter-fcc", "ubuntu-irc", "fluid-irc"]

    private let report: BenchmarkReport

    init() throws {
        report = try BenchmarkReport.read()
    }

    @Test("the table of README.md")
    func readMe() throws {
        let peers = [Self.raw, "MessageStore", Self.grdb, Self.grdbEvents, "RocksDB, synchronous batches"]
        var expected = try peers.map { peer in
            let rate = try self.rate(Self.fitted, peer)
            let ratio = try self.rate(Self.fitted) / rate
            return [thousands(rate), peer == "MessageStore" ? "" : number(ratio, ratio < 1 ? 2 : 1) + " ×"]
        }
        let fold = try report.value("Replay of", "fold in memory", "events/s")
        expected.append([thousands(fold), ""])
        let table = try self.table(of: "README.md", under: "## Speed")
        #expect(table.map { $0[1...].map { $0.replacing("**", with: "") } } == expected)
    }

    @Test("the bars of a sync in Docs/Speed.md")
    func syncBars() throws {
        let longest = "longest package in µs"
        let cells: [(String) throws -> String] = [
            { number(try rate($0), 0) },
            { number(try rate($0) / rate($0, Self.raw), 2) },
            { number(try rate($0) / rate($0, Self.grdb), 1) + " ×" },
            { number(try rate($0) / rate($0, Self.grdbEvents), 1) + " ×" },
            { number(try rate($0, Self.stream) / rate($0, Self.grdb), 1) + " ×" },
            { number(try cost($0, "CPU a message in µs") / cost($0, "CPU a message in µs", Self.grdb), 2) },
            { number(try cost($0, "flushes a package"), 2) },
            {
                let written = number(try cost($0, "bytes written a message"), 0)
                return "\(written) (\(number(try cost($0, "bytes passed a message"), 0)))"
            },
            {
                let (late, time) = (try cost($0, "p99.9 package in µs"), try cost($0, longest))
                return "\(number(late / 1000, 1)) ms; \(number(time / 1000, 1)) ms, "
                    + number(time / (try cost($0, longest, Self.grdb)), 2)
            },
            { number(try cost($0, "peak memory in MB"), 0) + " MB" },
        ]
        let expected = try cells.map { cell in try Self.workloads.map(cell) }
        #expect(try table(of: "Docs/Speed.md", under: "## Bars of a sync").map { Array($0[1...5]) } == expected)
    }

    @Test("the other bars in Docs/Speed.md")
    func otherBars() throws {
        let (delays, shared, send) = (
            "Bulk sync by the time of a flush", "Two acknowledgements", "One durable send"
        )
        let severalPackages = try report.value(shared, "GRDB, several packages in a transaction", "median events/s")
        let expected = [
            number(try report.value(delays, 1, "store / grdb-full"), 2) + " ×, "
                + number(try report.value(delays, 5, "store / grdb-full"), 2) + " ×",
            number(try report.value(shared, "stream", "against GRDB"), 1) + " × ("
                + number(try report.value(shared, "stream", "median events/s") / severalPackages, 1) + " ×)",
            number(
                try report.value(send, "MessageStore", "median in µs")
                    / report.value(send, "GRDB insert", "median in µs"), 2),
            number(try report.value(send, "MessageStore", "flushes a send"), 2) + "; "
                + number(try report.value(send, "MessageStore", "flushes of a lone send"), 2),
            number(try scale("against the tier of 1 M"), 2),
            number(try scale("memory in MB"), 0) + " MB",
            number(try replay("fold in memory", "events/s") / 1_000_000, 2) + " M",
            number(try replay("rebuild of all projections", "events/s") / 1_000_000, 2) + " M; "
                + number(try replay("rebuild of all projections", "against the sync"), 1) + " ×",
            number(try replay("decode of every event", "events/s") / 1_000_000, 2) + " M; "
                + number(try replay("events, none decoded", "events/s") / 1_000_000, 2) + " M",
            try query("first page of the conversation list, 50, one of them changed before", 0),
            try query("first page of the conversation list, 50", 0),
            try query("timeline, newest 20", 0),
            try query("timeline, 20 before the 1000th newest", 0),
            try query("unread total", 1),
            number(try opening("closed", "open in ms"), 1) + " ms; "
                + number(try opening("kill -9 with a full buffer", "open in ms") / 1000, 2) + " s ("
                + number(try opening("kill -9 with a full buffer", "events to fold"), 0) + " events to fold)",
        ]
        #expect(try table(of: "Docs/Speed.md", under: "## Other bars").map { $0[1] } == expected)
    }

    @Test("what Docs/Speed.md says beside its bars")
    func sentences() throws {
        let words = try text(of: "Docs/Speed.md").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let lastWrite = try 1 - report.value(Self.fitted, "MessageStore", "events/s, written out") / rate(Self.fitted)
        let reader = "Sync of 1000000 events while the app reads"
        let (p99, longest) = (try report.value(reader, "p99 in ms"), try report.value(reader, "max in ms"))
        let kept = try report.value(reader, "with reader and observer", "kept")
        let visible = try report.value("Two acknowledgements", "visible", "against durable")
        let instructions = "Instructions of a sync"
        let (all, known) = (
            try report.value("fluid-irc", "MessageStore", "events kept"),
            try report.value("fluid-irc", Self.grdb, "events kept")
        )
        for sentence in [
            "they are \(number(lastWrite * 100, 0)) % lower", "leave \(number(kept, 2)) of the sync's rate",
            "p99 is \(number(p99, 1)) ms, its longest read \(number(longest, 1)) ms",
            "come in at \(number(visible, 1)) times the rate of durable ones",
            "which are \(number(known / all * 100, 0)) % of the events of fluid-irc",
            "takes the raw LMDB append \(number(try cost(Self.fitted, "median package in µs", Self.raw), 0)) µs",
            "\(number(try report.value(instructions, "packages of a sync", "instructions an event"), 0)) in packages",
        ] {
            #expect(words.contains(sentence), "\(sentence)")
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
        try report.value("Opening a store of 10000000 events", store, column)
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
