internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// What the queries of a chat's screens take, beside SQLite with the same data.
struct QueryTimes {
    var events = 1_000_000
    var conversations = 5_000
    var repetitions = 1_000
    var directory: String

    func run() throws -> Section {
        var parameters = WorkloadParameters.fitted
        parameters.conversations = conversations
        let backlog = Backlog(parameters, events: events, name: "fitted workload")
        guard let names = backlog.directory else { throw Failure("the backlog has no names") }
        return try Files.withDirectory(in: directory) { base in
            Progress.say("queries: filling both stores with \(events) events")
            let peer = try StorePeer(at: base + "/store", backlog)
            try peer.describe(names)
            _ = try SyncRun.measure(peer, backlog, packageSize: 200, chunk: 250_000)
            let sqlite = try SQLitePeer(at: base + "/db.sqlite", backlog, .normal)
            try sqlite.describe(names)
            _ = try SyncRun.measure(sqlite, backlog, packageSize: 2_000, chunk: 250_000)
            let section = section(try times(of: Question.all(peer.store, sqlite.pool)))
            try peer.close()
            try sqlite.close()
            return section
        }
    }

    /// Microseconds of each question; the peers take turns, and their answers are compared first.
    private func times(of questions: [Question]) throws -> [(name: String, store: Spread, sqlite: Spread)] {
        try questions.map { question in
            let (ours, theirs) = (try question.store(), try question.sqlite())
            guard ours == theirs else { throw DifferentAnswers(question: question.name, store: ours, sqlite: theirs) }
            var store: [Double] = []
            var sqlite: [Double] = []
            for time in 0..<repetitions {
                try question.change(time)
                store.append(try Stopwatch.seconds { _ = try question.store() } * 1e6)
                sqlite.append(try Stopwatch.seconds { _ = try question.sqlite() } * 1e6)
            }
            return (question.name, Spread(store), Spread(sqlite))
        }
    }

    private func section(_ times: [(name: String, store: Spread, sqlite: Spread)]) -> Section {
        var section = Section(title: "Queries on \(events) events in \(conversations) conversations")
        section.notes = [
            "\(repetitions) runs of each query, the store and GRDB (WAL, prepared statements) in turns, each query a read of",
            "its own, warm. Both were filled with the same data and gave the same answers. GRDB sums the unread",
            "counts of all conversations; the store keeps the sum.",
        ]
        var table = Table(
            nil, ["query", "median in µs", "p99 in µs", "GRDB median in µs", "GRDB p99 in µs", "GRDB / store"])
        for time in times {
            table.rows.append([
                .text(time.name), .number(time.store.median), .number(time.store.percentile(99)),
                .number(time.sqlite.median), .number(time.sqlite.percentile(99)),
                .number(time.sqlite.median / time.store.median),
            ])
        }
        section.tables = [table]
        let faster = times.count { $0.store.median <= $0.sqlite.median }
        section.verdict =
            "Queries on \(events) events: \(faster) of \(times.count) take the store no longer than GRDB."
        section.charts = [
            Chart(
                id: "queries", title: "Queries, median", kind: .bar, x: .init(label: "query"),
                y: .init(label: "µs", isLogarithmic: true),
                series: [
                    .init(
                        name: "MessageStore",
                        points: times.enumerated().map {
                            .init(x: Double($0.offset), y: $0.element.store.median, label: Self.short($0.element.name))
                        }),
                    .init(
                        name: "GRDB",
                        points: times.enumerated().map { .init(x: Double($0.offset), y: $0.element.sqlite.median) }),
                ])
        ]
        return section
    }

    private static func short(_ name: String) -> String {
        name.contains("changed")
            ? "list changed"
            : name.contains("before") ? "deep" : name.split(separator: " ").suffix(2).joined(separator: " ")
    }
}
