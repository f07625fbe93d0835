internal import Foundation
internal import MessageStore

/// What each query costs on stores of growing size: time, and instructions where valgrind is installed.
struct QueryCost {
    var sizes = [10_000, 100_000, 1_000_000]
    var conversations = 5_000
    var directory: String

    private struct Column {
        var size: Int
        var times: [String: Duration]
        var instructions: [String: Int]
    }

    func run() throws -> Section {
        try Files.withDirectory(in: directory) { base in
            let columns = try sizes.map { size in
                Progress.say("query-cost: \(size) events")
                let path = "\(base)/\(size)"
                try QueryStore.build(at: path, events: size, conversations: conversations)
                let store = try MessageStore.open(path, account: QueryStore.account)
                let times = try Queries(store).times()
                try store.close()
                var counts = try Callgrind.instructions(["count-queries", path], in: base)
                let records = try Callgrind.instructions(["count-records", path], in: base)
                for name in Recording.names {
                    let each = records.filter { $0.key.hasPrefix(name + " #") }.values.sorted()
                    if !each.isEmpty { counts[name] = each[each.count / 2] }
                }
                return Column(size: size, times: times, instructions: counts)
            }
            return section(columns)
        }
    }

    private func section(_ columns: [Column]) -> Section {
        var section = Section(title: "What queries cost by store size")
        section.notes = [
            "Stores of \(conversations) conversations; each query is a read of its own, warm. Time: median of 200 runs;",
            "instructions: one run under callgrind; of messages recorded, the median of 101.",
        ]
        let head = sizes.map { "µs at \($0)" } + sizes.map { "instructions at \($0)" }
        var table = Table(nil, ["query"] + head)
        for name in Queries.names {
            let times = columns.map { Cell.number($0.times[name].map { $0 / .microseconds(1) }) }
            let counts = columns.map { Cell.number($0.instructions[name]) }
            table.rows.append([.text(name)] + times + counts)
        }
        for name in Recording.names {
            let counts = columns.map { Cell.number($0.instructions[name]) }
            table.rows.append([.text(name)] + columns.map { _ in Cell.none } + counts)
        }
        section.tables = [table]
        return section
    }
}
