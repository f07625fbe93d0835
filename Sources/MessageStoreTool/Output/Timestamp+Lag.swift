internal import MessageStore

extension Timestamp {
    /// The time, and how far it is from the recording where that is a minute or more:
    /// `2026-11-08T20:15:01.234Z (4 d 2 h before it was recorded)`.
    func words(recorded: Timestamp) -> String { description + lag(recorded: recorded) }

    /// The same without the time, with a space in front; empty where both are near or one is unknown.
    func lag(recorded: Timestamp) -> String {
        let difference = recorded.milliseconds &- milliseconds
        guard self != .unknown, recorded != .unknown, difference.magnitude >= 60_000 else { return "" }
        let duration = NumberFormat.duration(.milliseconds(difference.magnitude))
        return " (\(duration) \(difference > 0 ? "before" : "after") it was recorded)"
    }
}
