/// The badge and the unread counts of all conversations, to be compared with those of other events.
struct UnreadOverview {
    private let totals: [Fact]
    private var counts: [ConversationKey: Int] = [:]

    init(_ views: borrowing Views) throws {
        totals = try Subject.badge.facts(views)
        var counts: [ConversationKey: Int] = [:]
        try views.forEachUnread { key, basis in counts[key] = basis.count.messages }
        self.counts = counts
    }

    /// Conversations that are listed one by one.
    private static let listed = 20

    /// The numbers that differ there, the greatest differences first.
    func lines(of other: UnreadOverview, _ names: Names) -> [String] {
        var lines = zip(totals, other.totals).filter { $0.0.value != $0.1.value }.map {
            "\($0.0.name): \($0.0.value.words(names)) -> \($0.1.value.words(names))"
        }
        let changed = Set(counts.keys).union(other.counts.keys).map { key in
            (key: names.label(of: key), before: counts[key] ?? 0, after: other.counts[key] ?? 0)
        }
        .filter { $0.before != $0.after }
        .ordered { (abs($1.before - $1.after), $0.key) < (abs($0.before - $0.after), $1.key) }
        lines += changed.prefix(Self.listed).map {
            "unread in \($0.key): \(NumberFormat.count($0.before)) -> \(NumberFormat.count($0.after))"
        }
        if changed.count > Self.listed {
            lines.append(
                "and " + NumberFormat.count(changed.count - Self.listed, "more conversation", "more conversations"))
        }
        return lines.isEmpty ? ["The badge and all unread counts are the same."] : lines
    }
}
