/// After how long a message disappears, and from when on that time runs.
public struct MessageTimer: Sendable, Hashable {
    /// How many seconds; 0 for a message that stays.
    public var seconds: UInt32
    /// Whether the time runs from when this account read the message, and not from when it was sent.
    ///
    /// The time of this account's own messages runs from sending in any case.
    public var runsFromReading: Bool

    /// Creates a timer.
    public init(seconds: UInt32, runsFromReading: Bool = false) {
        self.seconds = seconds
        self.runsFromReading = runsFromReading
    }

    /// Messages stay.
    public static let off = MessageTimer(seconds: 0)
}

extension MessageTimer {
    package enum Fields {
        package static let seconds = Field<UInt32?>(9, "timerSeconds")
        package static let runsFromReading = Field<Bool?>(10, "timerRunsFromReading")
    }
}
