internal import MessageStore
internal import MessageStoreLog

extension UnreadOracle {
    /// A setting that is merged by its time (d33). What has no time takes effect, and was chosen when the clock said.
    struct Choice<Value> {
        var value: Value
        private var time = Timestamp(milliseconds: .min)

        init(_ value: Value) { self.value = value }

        /// Takes over a choice unless a later one holds; tells whether it did.
        @discardableResult
        mutating func choose(_ new: Value, at told: Timestamp?, recorded: Timestamp, winsTies: Bool) -> Bool {
            guard let told else {
                (value, time) = (new, recorded)
                return true
            }
            guard told > time || told == time && winsTies else { return false }
            (value, time) = (new, told)
            return true
        }
    }
}

extension UnreadOracle.Entry {
    /// What the clock said when it was recorded.
    fileprivate var clock: Timestamp { moment.clock }
}

extension UnreadOracle.Conversation {
    typealias Choice = UnreadOracle.Choice

    var isMarked: Bool { marks.last?.isMarked ?? false }

    /// What each event made of the mark "unread", of those that did anything.
    private var marks: [(entry: UnreadOracle.Entry, isMarked: Bool)] {
        var mark = Choice(false)
        return entries.compactMap { entry in
            let (set, time): (Bool, Timestamp?)
            switch entry.event.payload {
            case let told as ConversationMarkedUnread: (set, time) = (told.isMarked, told.time)
            case let told as ConversationSummaryReceived:
                guard let isMarked = told.isMarkedUnread else { return nil }
                (set, time) = (isMarked, entry.event.serverTime)
            case is ConversationRead, is ConversationDeleted: (set, time) = (false, nil)
            default: return nil
            }
            let holds = mark.choose(set, at: time, recorded: entry.clock, winsTies: set || !mark.value)
            return holds ? (entry, set) : nil
        }
    }

    /// Which messages notify at a moment (d43).
    func level(at moment: Timestamp) -> NotificationLevel {
        var choice = Choice<(level: NotificationLevel, until: Timestamp?)>((.all, nil))
        for entry in entries {
            let (level, until, time): (NotificationLevel, Timestamp?, Timestamp?)
            switch entry.event.payload {
            case let told as ConversationMuted: (level, until, time) = (told.level, told.until, told.time)
            case let told as ConversationSummaryReceived:
                guard let isMuted = told.isMuted else { continue }
                (level, until, time) = (isMuted ? .nothing : .all, nil, entry.event.serverTime)
            default: continue
            }
            choice.choose(
                (level, until), at: time, recorded: entry.clock,
                winsTies: level != .all || choice.value.level == .all)
        }
        return choice.value.until.map { $0 <= moment } == true ? .all : choice.value.level
    }

    var isPinned: Bool { flag(ConversationPinned.self) { $0.isPinned } }

    /// Whether it is in the archive (d42).
    var isArchived: Bool { flag(ConversationArchived.self) { $0.isArchived } }

    private func flag<Setting: ConversationFlagEvent>(
        _ type: Setting.Type, _ reported: (ConversationSummaryReceived) -> Bool?
    ) -> Bool {
        var choice = Choice(false)
        for entry in entries {
            let (value, time): (Bool, Timestamp?)
            switch entry.event.payload {
            case let told as Setting: (value, time) = (told.isSet, told.time)
            case let told as ConversationSummaryReceived:
                guard let isSet = reported(told) else { continue }
                (value, time) = (isSet, entry.event.serverTime)
            case is ConversationDeleted: (value, time) = (false, nil)
            default: continue
            }
            choice.choose(value, at: time, recorded: entry.clock, winsTies: value || !choice.value)
        }
        return choice.value
    }

    private var draftTime: Timestamp? {
        var draft = Choice<Timestamp?>(nil)
        for entry in entries {
            switch entry.event.payload {
            case let told as ConversationDraftChanged:
                draft.choose(
                    told.isThere ? told.time ?? entry.recordedTime : nil, at: told.time, recorded: entry.clock,
                    winsTies: told.isThere || draft.value == nil)
            case is ConversationDeleted:
                draft.choose(nil, at: nil, recorded: entry.clock, winsTies: true)
            default: break
            }
        }
        return draft.value
    }

    /// Whether a message was shown at some time, so that it lists its conversation or moves it (d13, d29).
    private func wasShown(_ message: UnreadOracle.Message) -> Bool {
        entries.contains { entry in
            guard entry.position >= message.id else { return false }
            let then = before(entry.position + 1)
            // Its acknowledgement may have given it a place that was cleared.
            guard let known = then.messages.first(where: { $0.id == message.id }) else { return false }
            return then.isShown(known) && !then.isCleared(known)
        }
    }

    /// Whether a message counted at some time, so that it lists its conversation, also once it is read (d29).
    private func hasCounted(_ message: UnreadOracle.Message) -> Bool {
        entries.contains { $0.position >= message.id && before($0.position + 1).isCountable(message) }
    }

    /// Whether a message was cleared, before or after it came (d21).
    private func isCleared(_ message: UnreadOracle.Message) -> Bool {
        entries.contains { entry in
            if wasAheadWhenCleared(message, by: entry) { return true }
            guard let upTo = Self.clearing(by: entry), !(upTo == nil && message.isAhead) else { return false }
            // A read marker is no message: what comes below it later is shown.
            let target = upTo ?? before(entry.position).newestMessage(at: entry).place
            return message.place.flatMap { place in target.map { place <= $0 } } ?? false
        }
    }

    /// Whether an own message that waited was acknowledged under an id or at a place that was deleted or cleared.
    var lostOwnMessage: Bool {
        messages.contains { message in
            message.entry.event.payload is MessageSendQueued && message.place != nil
                && (!isShown(message) || isCleared(message))
        }
    }

    /// When something happened last; nothing moves a conversation down but the end of a draft and an acknowledgement.
    var activity: Timestamp? {
        var times: [Timestamp?] = [draftTime]
        times += messages.filter { $0.policy.updatesLastMessage && wasShown($0) }.map {
            min($0.time, UnreadOracle.latestTime(of: $0.entry))
        }
        for entry in entries {
            let latest = UnreadOracle.latestTime(of: entry)
            switch entry.event.payload {
            case is ConversationCreated: times.append(entry.event.serverTime.map { min($0, latest) })
            case let notice as SelfInvited where notice.actor != account || before(entry.position).activity == nil:
                times.append(min(entry.event.serverTime ?? entry.recordedTime, latest))
            case let told as ConversationSummaryReceived: times.append(told.activity.map { min($0, latest) })
            default: break
            }
            times.append(reportedActivity(of: entry).map { min($0, latest) })
        }
        return times.compactMap { $0 }.max()
    }

    private func reportedActivity(of entry: UnreadOracle.Entry) -> Timestamp? {
        guard let told = Self.report(of: entry), told.count > 0 else { return nil }
        if let summary = entry.event.payload as? ConversationSummaryReceived, summary.activity != nil,
            told.place == nil
        {
            return nil
        }
        return told.isAlone ? entry.recordedTime : placeOfReport(told, entry)?.time
    }

    /// The place of a report that told one, or its time.
    private func placeOfReport(_ told: Report, _ entry: UnreadOracle.Entry) -> UnreadOracle.Place? {
        told.place
            ?? [before(entry.position).newestMessage(at: entry).place, told.time.map { Place(time: $0) }].compactMap {
                $0
            }.max()
    }

    /// Whether something lists the conversation, after the last deletion where there was one (d20, d29).
    var isListed: Bool {
        let deletion = entries.last { $0.event.payload is ConversationDeleted }
        let had = before(deletion?.position ?? 0)
        // The deletion removes messages from the future first.
        let known = deletion.flatMap { deletion in
            let left = before(deletion.position + 1).newestMessage(at: deletion)
            return [left.place, had.reading.highestNamed].compactMap { $0 }.max()
        }
        let knownTime = [known?.time, had.toldActivity].compactMap { $0 }.max()
        let since = entries.filter { $0.position > deletion?.position ?? 0 }
        if marks.contains(where: { $0.isMarked && $0.entry.position > deletion?.position ?? 0 }) { return true }
        if messages.contains(where: { lists($0, above: known, after: deletion?.position ?? 0) }) { return true }
        return since.contains { entry in
            switch entry.event.payload {
            // Neither is said to bring a deleted conversation back.
            case is SelfInvited, is ConversationCreated: if deletion == nil { return true }
            case let told as ConversationSummaryReceived:
                if let activity = told.activity, knownTime.map({ activity > $0 }) ?? true { return true }
            default: break
            }
            guard let told = Self.report(of: entry), told.count > 0 else { return false }
            guard !told.isAlone, let place = placeOfReport(told, entry) else { return true }
            return known.map { place > $0 } ?? true
        }
    }

    private var toldActivity: Timestamp? {
        entries.compactMap { ($0.event.payload as? ConversationSummaryReceived)?.activity }.max()
    }

    /// Whether it was never deleted, and more was told of it than messages; or it was, and may have a draft since, or a message
    /// from the future, which a deletion does not reach, may have been shown again.
    var mayBeListed: Bool {
        guard let deletion = entries.last(where: { $0.event.payload is ConversationDeleted }) else {
            return entries.contains { !($0.event.payload is MessageReceived || $0.event.payload is MessageFiltered) }
        }
        return messages.contains { $0.isFromFuture && $0.id < deletion.position }
            || entries.contains {
                $0.position > deletion.position && ($0.event.payload as? ConversationDraftChanged)?.text != nil
            }
    }

    private func lists(_ message: UnreadOracle.Message, above known: Place?, after deletion: UInt64) -> Bool {
        guard message.id > deletion, message.policy.updatesLastMessage || hasCounted(message), wasShown(message)
        else { return false }
        // What waits to be sent is the newest, wherever the server places it afterwards. A line of this device is behind all of its
        // time.
        let payload = message.entry.event.payload
        let place = payload is MessageInsertedLocally ? Place(time: message.time) : message.place
        guard let place, !(payload is MessageSendQueued) else { return true }
        return known.map { place > $0 } ?? true
    }
}

extension UnreadOracle.Message {
    /// When it happened: the server's time, or this device's.
    fileprivate var time: Timestamp {
        (entry.event.payload as? MessageInsertedLocally)?.time ?? place?.time ?? entry.recordedTime
    }
}
