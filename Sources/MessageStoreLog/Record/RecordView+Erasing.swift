extension RecordView {
    /// Whether the event removes what others say from the log.
    package var erases: Bool {
        switch type {
        case .messagesDeleted: self[MessagesDeleted.erases]
        case .historyCleared: self[HistoryCleared.erases]
        case .conversationDeleted: self[ConversationDeleted.erases]
        case .valuesErased: true
        default: false
        }
    }

    /// Whether the event hides content, and leaves it in the log.
    var hidesContent: Bool {
        switch type {
        case .messageRecalled: true
        case .messagesDeleted, .historyCleared: !erases
        case .conversationDeleted: self[ConversationDeleted.alsoMessages] && !erases
        case .messageSnapshotReceived: self[MessageSnapshotReceived.Fields.isRecalled]
        default: false
        }
    }

    /// The erasure that the log owes for the event since its recording; nil for one that erases nothing.
    @inline(__always) var erasure: OwedErasure? {
        if erases { return OwedErasure(event: position, since: correctedTime) }
        guard flags.contains(.erasesHidden) else { return nil }
        return OwedErasure(event: position, since: correctedTime, hides: !flags.contains(.erasesAtOnce))
    }

    /// Whether messages may disappear by what the event says.
    package var setsTimer: Bool { flags.contains(.hasTimer) || type == .conversationTimerChanged }

    /// The timer that a message carries.
    package var timer: MessageTimer? {
        self[MessageTimer.Fields.seconds].map {
            MessageTimer(seconds: $0, runsFromReading: self[MessageTimer.Fields.runsFromReading] ?? false)
        }
    }
}
