/// Messages of a conversation disappear after some time from now on, or no longer.
///
/// Messages that are recorded after it take the timer over unless they carry one of their own. One that comes from
/// history does only if it was sent after the timer was chosen; a line of this device alone never does.
public struct ConversationTimerChanged: ConversationPayload {
    /// The timer; ``MessageTimer/off`` where messages stay.
    public var timer: MessageTimer
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, a timer holds against none,
    /// then the later in the log.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ timer: MessageTimer, at time: Timestamp? = nil) {
        self.timer = timer
        self.time = time
    }
}

extension ConversationTimerChanged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationTimerChanged, "ConversationTimerChanged", scope: .conversation,
        traits: [.replacesEarlier, .mergedByTime])

    package static let seconds = FieldOf(3, "seconds", \Self.timer.seconds)
    package static let time = FieldOf(4, "time", \Self.time)
    package static let runsFromReading = FieldOf(5, "runsFromReading", \Self.timer.runsFromReading)
    package static let fieldList = FieldList(
        { Self(MessageTimer(seconds: $0, runsFromReading: $2), at: $1) }, seconds, time, runsFromReading)
}

extension EventType {
    /// The type of ``ConversationTimerChanged``.
    @inlinable public static var conversationTimerChanged: EventType { EventType(rawValue: 0x2D) }
}
