/// A sync response, or a page of history, as the store records it.
public struct MatrixPackage: Sendable {
    /// The events, in the order in which they are recorded; of a response, the last one is its cursor.
    public internal(set) var events: [Event] = []
    /// How much is not recorded, by reason.
    public internal(set) var skipped: [MatrixSkip: Int] = [:]

    mutating func skip(_ reason: MatrixSkip, _ count: Int) {
        if count > 0 { skipped[reason, default: 0] += count }
    }

    mutating func add(_ room: MatrixRoom) {
        events += room.events
        skipped.merge(room.skipped, uniquingKeysWith: +)
    }
}
