internal import MessageStore

/// The rows that differ between two positions, as `diff --json` prints them.
struct DebugChanges: Encodable {
    /// The most that are answered with; all are counted.
    static let limit = 60

    let changes: [DifferenceOutput]
    let count: Int
    /// What is to be known of the event, where it is one.
    var notes: [String] = []

    init(from first: Position, to last: Position, in session: ReplaySession) throws {
        let (changes, count) = try session.changes(from: first, to: last, limit: Self.limit)
        self.changes = changes.map { DifferenceOutput(difference: $0, first: "before", second: "after") }
        self.count = count
    }
}
