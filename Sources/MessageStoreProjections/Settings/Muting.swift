@_spi(Storage) internal import MessageStoreLog

/// Which messages of a conversation notify, and until when that holds.
struct Muting: Equatable {
    static let none = Muting(level: .all, until: 0)

    let level: NotificationLevel
    /// In milliseconds since 1970, at least 1; 0 for good, and where nothing is muted.
    let until: UInt64

    init(level: NotificationLevel, until: UInt64) {
        self.level = level
        self.until = level == .all ? 0 : until
    }

    /// What an event tells of it; nil where it tells nothing.
    init?(_ event: RecordView) {
        switch event.type {
        case .conversationMuted:
            let until = event[ConversationMuted.Fields.until]
            self.init(
                level: ConversationMuted.level(
                    isMuted: event[ConversationMuted.Fields.isMuted], told: event[ConversationMuted.Fields.level]),
                until: until.map { max(1, UInt64(clamping: $0.milliseconds)) } ?? 0)
        case .conversationSummaryReceived:
            guard let isMuted = event[ConversationSummaryReceived.Fields.isMuted] else { return nil }
            self.init(level: isMuted == 1 ? .nothing : .all, until: 0)
        default: return nil
        }
    }

    /// The level at a moment: a limit ends when its time has come.
    func level(at moment: Timestamp) -> NotificationLevel {
        until != 0 && until <= UInt64(clamping: moment.milliseconds) ? .all : level
    }
}
