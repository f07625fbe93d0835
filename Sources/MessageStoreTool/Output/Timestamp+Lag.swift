extension Timestamp {
    /// How far it is from a recording, and on which side; nil for less than a minute, and where one is unknown.
    func distance(from recorded: Timestamp) -> (words: String, isLater: Bool)? {
        let (distance, isOverflow) = milliseconds.subtractingReportingOverflow(recorded.milliseconds)
        guard !isOverflow, distance.magnitude >= 60_000, self != .unknown, recorded != .unknown else { return nil }
        return (NumberFormat.duration(.milliseconds(distance.magnitude)), distance > 0)
    }

    /// The time, and how far it is from the recording where that is a minute or more:
    /// `2026-11-08T20:15:01.234Z (4 d 2 h before it was recorded)`.
    func words(recorded: Timestamp) -> String { description + lag(recorded: recorded) }

    /// The same without the time, with a space in front; empty where both are near or one is unknown.
    func lag(recorded: Timestamp) -> String {
        distance(from: recorded).map { " (\($0.words) \($0.isLater ? "after" : "before") it was recorded)" } ?? ""
    }
}
