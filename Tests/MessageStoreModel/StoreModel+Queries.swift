package import MessageStore

extension StoreModel {
    /// The conversation list: those of the archive last, pinned first, then by latest activity; chat rooms and deleted ones
    /// are not in it.
    package func conversationList(
        kinds: Set<ConversationKind>? = nil, archived: ArchivedConversations = .excluded
    ) -> [Conversation] {
        conversations.values
            .filter { entry in
                entry.isListed && entry.key.kind != .chatRoom && isChosen(entry, kinds, archived)
            }
            .sorted { first, second in
                if first.isArchived != second.isArchived { return second.isArchived }
                if first.isPinned != second.isPinned { return first.isPinned }
                if activity(of: first) != activity(of: second) { return activity(of: first) > activity(of: second) }
                return first.number < second.number
            }
            .map { shown($0) }
    }

    /// One conversation, listed or not; nil if nothing is known of it that a list would show.
    package func conversation(_ key: ConversationKey) -> Conversation? {
        guard let entry = conversations[key], entry.isInList else { return nil }
        return shown(entry)
    }

    /// All messages of a conversation in their order, cleared and deleted ones left out.
    package func timeline(of key: ConversationKey) -> [Message] {
        visible(in: key).map { shown($0) }
    }

    /// What is unread in a conversation, counted by the rule.
    package func unread(of key: ConversationKey) -> UnreadCount {
        guard let entry = conversations[key] else { return .none }
        var from = entry.readUpTo
        var (messages, mentions, everyoneMentions) = (0, 0, 0)
        var counted: Order?
        let report = entry.isReportInForce ? entry.report : nil
        if let report {
            from.raise(to: report.place)
            counted = from
            (messages, mentions) = (Int(report.count), Int(report.mentions))
        }
        for message in visible(in: key) where isUnread(message) && counted.isBelow(message.order) {
            // A number alone stands for all that history brings.
            if message.isFromHistory, entry.report?.isOpen == true { continue }
            messages += 1
            if message.mentionsNow { mentions += 1 }
            if message.mentionsNow, !message.namesNow { everyoneMentions += 1 }
        }
        return UnreadCount(
            messages: messages, mentions: mentions, everyoneMentions: everyoneMentions,
            isMarkedUnread: entry.flags.contains(.conversationMarkedUnread),
            isLowerBound: entry.stretches.closed.contains { $0.high >= from ?? .lowest },
            readUpTo: entry.readUpTo?.shown, report: report?.shown)
    }

    private func isChosen(
        _ entry: ConversationEntry, _ kinds: Set<ConversationKind>?, _ archived: ArchivedConversations
    ) -> Bool {
        if archived == .only && !entry.isArchived || archived == .excluded && entry.isArchived { return false }
        return kinds?.contains(entry.kind) != false
    }

    /// What is unread over all conversations but chat rooms.
    package func unreadTotals(
        kinds: Set<ConversationKind>? = nil, archived: ArchivedConversations = .included, includesMuted: Bool = false
    ) -> UnreadTotals {
        totals(
            of: conversations.values.filter { $0.key.kind != .chatRoom && isChosen($0, kinds, archived) },
            includesMuted: includesMuted)
    }

    func totals(of entries: [ConversationEntry], includesMuted: Bool) -> UnreadTotals {
        var (messages, mentions, everyoneMentions, conversations, marked) = (0, 0, 0, 0, 0)
        for entry in entries {
            let level = includesMuted ? .all : level(of: entry)
            guard level != .nothing else { continue }
            let unread = unread(of: entry.key)
            let count = level == .mentionsOnly ? unread.mentions : unread.messages
            messages += count
            mentions += unread.mentions
            everyoneMentions += unread.everyoneMentions
            guard count > 0 || level == .all && unread.isMarkedUnread else { continue }
            conversations += 1
            if count == 0 { marked += 1 }
        }
        return UnreadTotals(
            messages: messages, mentions: mentions, everyoneMentions: everyoneMentions, conversations: conversations,
            badge: messages + marked)
    }

    /// The members of a conversation, by their ids.
    package func members(in key: ConversationKey) -> [Member] {
        guard let entry = conversations[key] else { return [] }
        return entry.members.values.sorted { $0.id < $1.id }.map { member in
            Member(
                id: member.id, nickname: entry.nicknames[member.id], role: entry.roles[member.id] ?? 0,
                joinKind: member.joinKind, invitedBy: member.invitedBy, mutedUntil: entry.states.mutes[member.id])
        }
    }

    /// What is known of a user.
    package func profile(_ user: UserID) -> Cached<Profile> {
        let entry = profiles[user] ?? ProfileEntry()
        return Cached(
            entry.profile ?? Profile(id: user), isPlaceholder: entry.profile == nil, isStale: entry.isStale,
            hasFailed: entry.hasFailed)
    }

    /// The messages that the server has not accepted, oldest first.
    package func outbox() -> [Message] {
        messages.values.filter { $0.isUnacknowledged && !$0.isSettled && !$0.isGone }.sorted { $0.local < $1.local }.map
        { shown($0) }
    }

    /// How far the current or last offline sync has come.
    package func syncProgress() -> SyncProgress {
        SyncProgress(
            isSyncing: sync.isSyncing, hasMore: sync.hasMore, packages: sync.packages, messages: sync.messages,
            jumps: sync.jumps, completions: sync.completions)
    }

    /// The place that a transport last noted under `name`, or nil.
    package func syncCursor(_ name: String) -> [UInt8]? { cursors[name] }

    /// How many events of each type the log holds that this version does not know.
    package func unknownEventCounts() -> [EventType: Int] {
        log.reduce(into: [:]) { counts, event in
            if let body = event.payload as? UnknownEvent { counts[body.type, default: 0] += 1 }
        }
    }

    /// The state of this account's session as last recorded.
    package func sessionState() -> Session? {
        session.map { Session($0.state, code: $0.code, text: $0.text) }
    }

    func visible(in key: ConversationKey) -> [MessageEntry] {
        messages.values.filter { $0.conversation == key && isVisible($0) }.sorted { $0.order < $1.order }
    }

    /// Whether a message is neither gone nor cleared.
    func isVisible(_ entry: MessageEntry) -> Bool {
        !entry.isGone && !isCleared(entry)
    }

    func activity(of entry: ConversationEntry) -> Int64 {
        max(entry.confirmedActivity, entry.provisionalActivity, entry.states.draftTime?.milliseconds ?? 0)
    }

    func shown(_ entry: MessageEntry) -> Message {
        let modification = entry.facts.modification
        let status = status(of: entry)
        var (content, told, isReplaced) = (modification?.content ?? entry.content, modification?.position, false)
        if let verdict = entry.facts.verdict, case .replace(let replacement) = verdict.verdict {
            (content, told, isReplaced) = (replacement, verdict.position, true)
        }
        if entry.facts.isRecalled { content = MessageContent(type: content.type) }
        return Message(
            id: LocalMessageID(entry.local), serverID: entry.serverID, clientToken: entry.token,
            conversation: entry.conversation, sender: entry.sender,
            senderProfile: senderProfile(of: LocalMessageID(entry.local)), isOutgoing: entry.isOutgoing,
            time: entry.serverTime ?? entry.recordedTime, isTimeProvisional: entry.serverTime == nil,
            recordedTime: entry.moment.shown, status: status,
            failureCode: status == .failed ? entry.failure : nil, deliveredTime: entry.facts.deliveries.min(),
            readTime: entry.facts.readings.min(), content: content,
            context: context(of: entry), flags: entry.facts.userFlags,
            isRead: entry.isOutgoing ? nil : isRead(entry), expires: entry.expires, attachments: attachments(of: entry),
            isLocal: entry.isLocal, isModified: modification != nil, isReplaced: isReplaced,
            isRecalled: entry.facts.isRecalled, isRedacted: redacted.contains(told ?? entry.local),
            countsUnread: entry.policy.countsUnread, needsReceipt: needsReceipt(entry))
    }

    /// What the message came with, and the mentions of the last edit that tells any.
    private func context(of entry: MessageEntry) -> MessageContext {
        var context =
            switch body(of: entry) {
            case let body as MessageReceived: body.context
            case let body as MessageSendQueued: body.context
            default: MessageContext.none
            }
        switch entry.facts.mentioning.map({ log[Int($0.position) - 1].payload }) {
        case let edit as MessageModified:
            (context.mentions, context.mentionsEveryone) = (edit.mentions ?? [], edit.mentionsEveryone)
        case let edit as MessageSnapshotReceived:
            (context.mentions, context.mentionsEveryone) = (edit.mentions ?? [], edit.mentionsEveryone)
        default: break
        }
        return context
    }

    private func needsReceipt(_ entry: MessageEntry) -> Bool {
        switch body(of: entry) {
        case let body as MessageReceived: body.needsReceipt
        case let body as MessageSendQueued: body.needsReceipt
        default: false
        }
    }

    /// Where the files of a message are; redaction took the paths out of the log.
    private func attachments(of entry: MessageEntry) -> [MessageAttachment] {
        entry.facts.attachments.sorted { $0.key < $1.key }.compactMap { index, told in
            guard let body = log[Int(told.position) - 1].payload as? AttachmentStateChanged else { return nil }
            let isRecalled = entry.facts.isRecalled
            return MessageAttachment(
                index: index, state: body.state, localPath: isRecalled ? nil : body.localPath,
                remoteURL: isRecalled ? nil : body.remoteURL)
        }
    }

    /// Whether a message of somebody else was read by itself or stands at or below the marker.
    func isRead(_ entry: MessageEntry) -> Bool {
        if entry.facts.userFlags.contains(.read) { return true }
        if entry.needsMarker, conversations[entry.conversation]?.showsHistory != true { return true }
        return !isAboveMarker(entry)
    }

    /// The highest of what is known: queued or failed, sent, delivered, read (d18).
    private func status(of entry: MessageEntry) -> MessageStatus {
        guard entry.isOutgoing, !entry.isLocal else { return .received }
        let own = entry.facts.reached == .received ? .sent : entry.facts.reached
        guard own >= .sent, let time = entry.serverTime.map({ min($0.milliseconds, entry.latestTime) }),
            let conversation = conversations[entry.conversation]
        else { return own }
        if time <= conversation.peerReadUpTo { return .read }
        return time <= conversation.deliveredUpTo ? max(own, .delivered) : own
    }

    func preview(of message: Message, in entry: ConversationEntry) -> MessagePreview {
        MessagePreview(
            id: message.id, serverID: message.serverID, conversation: entry.key, sender: message.sender,
            senderName: name(of: message.sender, in: entry), isOutgoing: message.isOutgoing,
            contentType: message.content.type,
            content: message.isRecalled || message.isRedacted ? nil : message.content, time: message.time,
            status: message.status, isRecalled: message.isRecalled)
    }

    func name(of user: UserID, in entry: ConversationEntry) -> String {
        if let remark = remark(of: user) { return remark }
        if entry.kind != .single, let nickname = entry.nicknames[user] { return nickname }
        return profileName(user)
    }

    private func profileName(_ user: UserID) -> String {
        if let remark = remark(of: user) { return remark }
        guard let name = profiles[user]?.profile?.name, !name.isEmpty else { return user.rawValue }
        return name
    }

    func displayName(of entry: ConversationEntry) -> String {
        if let name = entry.fields.name, !name.isEmpty { return name }
        if let person = person(of: entry) { return profileName(person) }
        return (entry.kind == .single ? nil : teamName(of: entry.key)) ?? entry.key.id
    }
}
