/// The rows that differ between two positions, as `diff --json` prints them.
struct DebugChanges: Encodable {
    /// The most that are answered with; all are counted.
    static let limit = 60

    let changes: [JSONObject]
    let count: Int
    /// Notes on the event, if the changes are those of one event.
    var notes: [String] = []
    /// The messages that the rows are of.
    let messages: [LocalMessageID]

    init(from first: Position, to last: Position, in session: ReplaySession) throws {
        let (changes, count) = try session.changes(from: first, to: last, limit: Self.limit)
        self.changes = changes.map { $0.object(first: "before", second: "after") }
        self.count = count
        messages = changes.compactMap(\.message)
    }

    func encode(to encoder: any Encoder) throws {
        try (["changes": changes, "count": count, "notes": notes] as JSONObject).encode(to: encoder)
    }
}

extension RowDifference {
    /// The message of the row; nil where it is not that of one.
    var message: LocalMessageID? {
        let part = parts?.first { $0.name == "local" }
        let text = keyParts?.first { $0.name == "local" }?.value ?? part?.second ?? part?.first
        return text.flatMap { UInt64($0) }.map { LocalMessageID($0) }
    }
}
