/// The same of a clear and of a sealed store.
struct Both<Value> {
    let clear: Value
    let sealed: Value

    /// Asks for both; the clear store's goes first in each other turn.
    init(_ turn: Int = 0, _ value: (_ isSealed: Bool) throws -> Value) rethrows {
        let first = try value(turn % 2 != 0)
        let second = try value(turn % 2 == 0)
        (clear, sealed) = turn % 2 == 0 ? (first, second) : (second, first)
    }

    subscript(isSealed: Bool) -> Value { isSealed ? sealed : clear }

    func map<Result>(_ change: (Value) throws -> Result) rethrows -> Both<Result> {
        try Both<Result> { try change(self[$0]) }
    }
}

/// Values of clear and sealed stores, measured in pairs, and the bars for the sealed ones.
struct SealedRatios {
    /// A limit for a sealed store, from a clear one.
    enum Bar {
        /// A share of the clear store's rate at the least.
        case least(Double)
        /// A multiple of the clear store's value at the most.
        case most(Double)
        /// More than the clear store's value by so much at the most.
        case added(Double)
    }

    /// The pairs of one workload.
    private struct Row {
        let name: String
        let bar: Bar?
        var pairs: [Both<Double>] = []

        var ratio: Spread { Spread(pairs.map { $0.sealed / $0.clear }) }
        var difference: Double { Spread(pairs.map { $0.sealed - $0.clear }).median }

        /// The bar in words, and whether it holds.
        var outcome: (bar: String, holds: Bool)? {
            switch bar {
            case .least(let share): ("≥ \(Markdown.number(share))", ratio.median >= share)
            case .most(let times): ("≤ \(Markdown.number(times))", ratio.median <= times)
            case .added(let value): ("≤ \(Markdown.number(value)) more", difference <= value)
            case nil: nil
            }
        }
    }

    /// In the order in which workloads were met.
    private var rows: [Row] = []

    mutating func add(_ name: String, _ bar: Bar?, _ pair: Both<Double>) {
        let index = rows.firstIndex { $0.name == name } ?? rows.count
        if index == rows.count { rows.append(Row(name: name, bar: bar)) }
        rows[index].pairs.append(pair)
    }

    var table: Table {
        let columns = [
            "workload", "clear", "sealed", "sealed / clear", "10th percentile", "90th percentile", "sealed - clear",
            "bar", "holds",
        ]
        var table = Table(nil, columns)
        for row in rows {
            let (ratio, outcome) = (row.ratio, row.outcome)
            table.rows.append([
                .text(row.name), .number(Spread(row.pairs.map(\.clear)).median),
                .number(Spread(row.pairs.map(\.sealed)).median), .number(ratio.median),
                .number(ratio.percentile(10)), .number(ratio.percentile(90)), .number(row.difference),
                outcome.map { .text($0.bar) } ?? .none, outcome.map { .text($0.holds ? "yes" : "no") } ?? .none,
            ])
        }
        return table
    }

    var verdict: String {
        let outcomes = rows.compactMap { row in row.outcome.map { (name: row.name, holds: $0.holds) } }
        let missed = outcomes.filter { !$0.holds }.map(\.name)
        return "A sealed store against a clear one: \(outcomes.count - missed.count) of \(outcomes.count) bars hold"
            + (missed.isEmpty ? "." : "; missed: \(missed.joined(separator: "; ")).")
    }
}
