extension EventType {
    /// Whether events of this type tell of choices, which are merged by their time: one without a time was made by the clock
    /// of its recording.
    package var isChoice: Bool {
        switch self {
        case .conversationPinned, .conversationMuted, .conversationMarkedUnread, .conversationDraftChanged,
            .conversationTagged, .memberInfoChanged, .conversationRead, .conversationDeleted,
            .conversationSummaryReceived, .conversationArchived, .conversationFolderChanged, .messagePinned,
            .messageStarred:
            true
        default: false
        }
    }
}
