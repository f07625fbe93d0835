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
}
