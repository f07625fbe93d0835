@_spi(Storage) internal import MessageStoreLog

/// Which messages of a conversation notify, and until when that holds.
struct Muting: Equatable {
    let level: NotificationLevel
    /// In milliseconds since 1970, at least 1; 0 for good, and where nothing is muted.
    let until: UInt64

    init(level: NotificationLevel, until: UInt64) {
        self.level = level
        self.until = level == .all ? 0 : until
    }

    init(_ event: EventView<ConversationMuted>) {
        let until = event[ConversationMuted.until]
        self.init(
            level: ConversationMuted.level(
                isMuted: event[ConversationMuted.isMuted], told: event[ConversationMuted.storedLevel]),
            until: until.map { max(1, UInt64(clamping: $0.milliseconds)) } ?? 0)
    }

    /// The level at a moment: a limit ends when its time has come.
    func level(at moment: Timestamp) -> NotificationLevel {
        until != 0 && until <= UInt64(clamping: moment.milliseconds) ? .all : level
    }
}

/// Flags of a row that say which messages of a conversation notify; neither is set where all do.
protocol MutingFlags: RowFlags {
    /// Nothing notifies.
    static var isMuted: Self { get }
    /// Mentions alone notify.
    static var isMentionsOnly: Self { get }
}

/// A row that says which messages of a conversation notify, and until when.
protocol MutingRow {
    associatedtype Flags: MutingFlags

    var flags: Flags { get set }
    var mutedUntil: UInt64 { get set }
}

extension MutingRow {
    var muting: Muting {
        get {
            let level: NotificationLevel =
                flags.contains(.isMuted) ? .nothing : flags.contains(.isMentionsOnly) ? .mentionsOnly : .all
            return Muting(level: level, until: mutedUntil)
        }
        set {
            flags[.isMuted] = newValue.level == .nothing
            flags[.isMentionsOnly] = newValue.level == .mentionsOnly
            mutedUntil = newValue.until
        }
    }
}
