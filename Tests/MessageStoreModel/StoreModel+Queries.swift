package import MessageStore

extension StoreModel {
    /// The conversation list: those of the archive last, pinned first, then by latest activity; chat rooms and deleted ones
    /// are not in it.
    package func conversationList(
        kinds: Set<ConversationKind>? = nil, archived: ArchivedConversations = .excluded
    ) -> [ShownConversation] {
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
    package func conversation(_ key: ConversationKey) -> ShownConversation? {
        guard let entry = conversations[key], entry.isInList else { return nil }
        return shown(entry)
    }

    /// All messages of a conversation in their order, cleared and deleted ones left out.
    package func timeline(of key: ConversationKey) -> [ShownMessage] {
        visible(in: key).map { shown($0) }
    }

    /// What is unread in a conversation, counted by the rule.
    package func unread(of key: ConversationKey) -> ShownUnread {
        guard let entry = conversations[key] else { return ShownUnread() }
        var from = entry.readUpTo
        var shown = ShownUnread(isMarkedUnread: entry.isMarkedUnread, readUpTo: from?.shown)
        var counted: Order?
        if let report = entry.report, entry.isReportInForce {
            from.raise(to: report.place)
            counted = from
            shown.report = report.shown
            (shown.messages, shown.mentions) = (Int(report.count), Int(report.mentions))
        }
        for message in visible(in: key) where isUnread(message) && counted.isBelow(message.order) {
            // A number alone stands for all that history brings.
            if message.isFromHistory, entry.report?.isOpen == true { continue }
            shown.messages += 1
            if message.mentionsNow { shown.mentions += 1 }
            if message.mentionsNow, !message.namesNow { shown.everyoneMentions += 1 }
        }
        shown.isLowerBound = entry.stretches.closed.contains { $0.high >= from ?? .lowest }
        return shown
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
    ) -> ShownTotals {
        totals(
            of: conversations.values.filter { $0.key.kind != .chatRoom && isChosen($0, kinds, archived) },
            includesMuted: includesMuted)
    }

    func totals(of entries: [ConversationEntry], includesMuted: Bool) -> ShownTotals {
        var totals = ShownTotals()
        for entry in entries {
            let level = includesMuted ? .all : level(of: entry)
            guard level != .nothing else { continue }
            var unread = unread(of: entry.key)
            if level == .mentionsOnly { (unread.messages, unread.isMarkedUnread) = (unread.mentions, false) }
            totals.messages += unread.messages
            totals.mentions += unread.mentions
            totals.everyoneMentions += unread.everyoneMentions
            totals.badge += unread.messages
            guard unread.messages > 0 || unread.isMarkedUnread else { continue }
            totals.conversations += 1
            if unread.messages == 0 { totals.badge += 1 }
        }
        return totals
    }

    /// The members of a conversation, by their ids.
    package func members(of key: ConversationKey) -> [ShownMember] {
        guard let entry = conversations[key] else { return [] }
        return entry.members.values.sorted { $0.id < $1.id }.map { member in
            var member = member
            member.nickname = entry.nicknames[member.id]
            member.role = entry.roles[member.id] ?? 0
            member.mutedUntil = entry.states.mutes[member.id]
            return member
        }
    }

    /// What is known of a user.
    package func profile(_ user: UserID) -> ShownProfile {
        let entry = profiles[user] ?? ProfileEntry()
        return ShownProfile(
            profile: entry.profile ?? Profile(id: user), isPlaceholder: entry.profile == nil, isStale: entry.isStale,
            hasFailed: entry.hasFailed)
    }

    /// The messages that the server has not accepted, oldest first.
    package func outbox() -> [ShownMessage] {
        messages.values.filter { $0.isUnacknowledged && !$0.isSettled && !$0.isGone }.sorted { $0.local < $1.local }.map
        { shown($0) }
    }

    /// How far the current or last offline sync has come.
    package func syncProgress() -> ShownSync { sync }

    /// The place that a transport last noted under `name`, or nil.
    package func syncCursor(_ name: String) -> [UInt8]? { cursors[name] }

    /// How many events of each type the log holds that this version does not know.
    package func unknownEventCounts() -> [EventType: Int] {
        log.reduce(into: [:]) { counts, event in
            if let body = event.payload as? UnknownEvent { counts[body.type, default: 0] += 1 }
        }
    }

    /// The state of this account's session as last recorded.
    package func sessionState() -> SessionStateChanged? { session }

    func visible(in key: ConversationKey) -> [MessageEntry] {
        messages.values.filter { $0.conversation == key && isVisible($0) }.sorted { $0.order < $1.order }
    }

    /// Whether a message is neither gone nor cleared.
    func isVisible(_ entry: MessageEntry) -> Bool {
        !entry.isGone && conversations[entry.conversation]?.floor.isBelow(entry.order) != false
    }

    func activity(of entry: ConversationEntry) -> Int64 {
        max(entry.confirmedActivity, entry.provisionalActivity, entry.states.draftTime?.milliseconds ?? 0)
    }

    func shown(_ entry: MessageEntry) -> ShownMessage {
        let modification = entry.facts.modification
        let status = status(of: entry)
        var content = modification?.content ?? entry.content
        var isReplaced = false
        if case .replace(let replacement) = entry.facts.verdict?.verdict { (content, isReplaced) = (replacement, true) }
        return ShownMessage(
            id: LocalMessageID(entry.local), serverID: entry.serverID, clientToken: entry.token,
            sender: entry.sender, isOutgoing: entry.isOutgoing, time: entry.serverTime ?? entry.recordedTime,
            isTimeProvisional: entry.serverTime == nil, status: status,
            failureCode: status == .failed ? entry.failure : nil, deliveredTime: entry.facts.deliveries.min(),
            readTime: entry.facts.readings.min(), content: content,
            isModified: modification != nil, isRecalled: entry.facts.isRecalled, flags: entry.facts.userFlags,
            isRead: entry.isOutgoing ? nil : isRead(entry),
            attachments: entry.facts.attachments.mapValues(\.state.state), isLocal: entry.isLocal,
            isReplaced: isReplaced)
    }

    /// Whether a message of somebody else was read by itself or stands at or below the marker.
    private func isRead(_ entry: MessageEntry) -> Bool {
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

    private func shown(_ entry: ConversationEntry) -> ShownConversation {
        let last = visible(in: entry.key).last { $0.policy.updatesLastMessage }
        var fields = entry.fields
        fields.attributes = fields.attributes ?? []
        fields.indexed = fields.indexed ?? [:]
        fields.kind = entry.kind
        fields.avatarURL = avatarURL(of: entry)
        return ShownConversation(
            key: entry.key, fields: fields, displayName: displayName(of: entry), peer: peer(of: entry),
            isPinned: entry.isPinned, level: level(of: entry),
            mutedUntil: level(of: entry) == .all ? nil : entry.mutedUntil, isArchived: entry.isArchived,
            isHidden: !entry.isListed,
            isOutdated: entry.isOutdated,
            activity: activity(of: entry) == 0 ? nil : Timestamp(milliseconds: activity(of: entry)),
            lastMessage: last.map { LocalMessageID($0.local) },
            lastText: last.flatMap { $0.facts.isRecalled ? nil : shown($0).content.text },
            lastStatus: last.map { shown($0).status },
            lastSenderName: last.map { name(of: $0.sender, in: entry) }, draft: entry.draft,
            draftTime: entry.states.draftTime, tags: entry.states.tags.sorted(),
            unread: unread(of: entry.key), memberCount: entry.members.count)
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

    private func displayName(of entry: ConversationEntry) -> String {
        if let name = entry.fields.name, !name.isEmpty { return name }
        if let person = person(of: entry) { return profileName(person) }
        return (entry.kind == .single ? nil : teamName(of: entry.key)) ?? entry.key.id
    }
}
