/// The key of a row of `timers`.
struct TimerKey: ViewKey {
    /// What the row holds.
    enum Kind: UInt8, RowValue {
        /// The timer of a conversation, and when it was chosen.
        case conversation = 1
        /// The timer of a message that was not sent yet, or not read.
        case waiting
        /// When a message disappears.
        case running
        /// The messages by that time.
        case due
    }

    private(set) var kind = Kind.conversation
    /// Only where messages are ordered by it.
    private(set) var time: UInt64 = 0
    private(set) var conversation = ConversationNumber.none
    private(set) var local = LocalMessageID(0)

    init() {}

    init(_ kind: Kind, _ conversation: ConversationNumber, _ local: LocalMessageID = LocalMessageID(0)) {
        (self.kind, self.conversation, self.local) = (kind, conversation, local)
    }

    init(due time: UInt64, _ conversation: ConversationNumber, _ local: LocalMessageID) {
        self.init(.due, conversation, local)
        self.time = time
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("kind", &kind)
        if kind == .due { parts.part("time", &time, .time) }
        parts.part("conversation", &conversation, .conversation)
        if kind != .conversation { parts.part("local", &local) }
    }

    static var forms: [TimerKey] { [TimerKey(), TimerKey(.waiting, .none), TimerKey(.due, .none)] }
}

/// The beginning of the keys of one kind, of a conversation or of all.
struct TimerScope: ViewKey {
    var kind = TimerKey.Kind.due
    var conversation: ConversationNumber?

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("kind", &kind)
        if var conversation { parts.part("conversation", &conversation, .conversation) }
    }
}

/// A row of `timers`; of the messages by their time, it has no more than the key.
struct TimerRow: ViewRow {
    /// When the conversation's timer was chosen, or the message disappears, in milliseconds since 1970; 0 for none.
    var time: UInt64 = 0
    var seconds: UInt32 = 0
    var runsFromReading = false

    init() {}

    init(_ timer: MessageTimer, time: UInt64 = 0) {
        (seconds, runsFromReading, self.time) = (timer.seconds, timer.runsFromReading, time)
    }

    var timer: MessageTimer { MessageTimer(seconds: seconds, runsFromReading: runsFromReading) }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("time", &time, .time)
        parts.part("seconds", &seconds)
        parts.part("runsFromReading", &runsFromReading)
    }
}
