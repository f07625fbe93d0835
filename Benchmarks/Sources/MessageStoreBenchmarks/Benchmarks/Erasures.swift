internal import MessageStore

/// What an erasure costs in a large log: a conversation is cleared, and its words are gone when the call returns.
struct Erasures {
    var events = 1_000_000
    /// Conversations of middling size that are cleared.
    var repetitions = 20
    var directory: String

    func run() throws -> Section {
        try Files.withDirectory(in: directory) { base in
            Progress.say("erase: a store of \(events) events")
            let backlog = Backlog.fitted(events: events)
            let peer = try StorePeer(at: base + "/store", backlog)
            _ = try SyncRun.measure(peer, backlog, packageSize: 200, chunk: 250_000)
            // By the number of messages, the fewest first.
            var counts: [Int32: Int] = [:]
            for event in backlog.events() where event.kind == .text { counts[event.conversation, default: 0] += 1 }
            let sizes = counts.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            let first = (sizes.count - repetitions) / 2
            guard repetitions > 1, first >= 0, let largest = sizes.last else {
                throw Failure("\(sizes.count) conversations with messages are too few")
            }
            let middle = sizes[first..<first + repetitions]
            var times: [(messages: Int, milliseconds: Double)] = []
            for (conversation, messages) in middle + [largest] {
                let event = Event(HistoryCleared(erases: true), in: backlog.conversations[Int(conversation)])
                let seconds = try Stopwatch.seconds { try peer.store.record(event) }
                times.append((messages, seconds * 1e3))
            }
            guard try peer.store.verify().isConsistent else { throw Failure("verify found a difference") }
            try peer.close()
            return section(times)
        }
    }

    private func section(_ times: [(messages: Int, milliseconds: Double)]) -> Section {
        var section = Section(title: "Erasing in a log of \(events) events")
        section.notes = [
            "A `HistoryCleared` that erases, durable and erased on return, one conversation after the other. The first erasure after",
            "an opening reads the whole log. `verify` found no difference afterwards.",
        ]
        var table = Table(nil, ["conversation", "messages", "ms", "min", "max"])
        let later = times.dropFirst().dropLast()
        let spread = Spread(later.map(\.milliseconds))
        for (name, times) in [("median size, the first erasure", times.prefix(1)), ("the largest", times.suffix(1))] {
            table.rows.append([
                .text(name), .number(times.first?.messages), .number(times.first?.milliseconds), .none, .none,
            ])
        }
        table.rows.insert(
            [
                .text("median size, \(later.count) later ones"),
                .number(Spread(later.map { Double($0.messages) }).median),
                .number(spread.median), .number(spread.min), .number(spread.max),
            ], at: 1)
        section.tables = [table]
        return section
    }
}
