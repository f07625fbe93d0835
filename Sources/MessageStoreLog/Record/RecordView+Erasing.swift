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

    /// Whether messages may disappear by what the event says.
    package var setsTimer: Bool { flags.contains(.hasTimer) || type == .conversationTimerChanged }

    /// The timer that a message carries.
    package var timer: MessageTimer? {
        self[MessageTimer.Fields.seconds].map {
            MessageTimer(seconds: $0, runsFromReading: self[MessageTimer.Fields.runsFromReading] ?? false)
        }
    }
}
