/// A clock that was set ahead by more than a day while a store was open.
public struct ClockJump: Sendable, Hashable {
    /// What the clock would show without the jump.
    public let expected: Timestamp
    /// What it shows.
    public let shown: Timestamp

    /// How far ahead a clock may be set before messages wait for the host's word.
    static let tolerance = Timestamp.greatestLead
}
