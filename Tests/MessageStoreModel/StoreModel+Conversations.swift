internal import MessageStore
internal import MessageStoreLog

extension StoreModel {
    mutating func applyConversationEvent(_ event: Event, _ key: ConversationKey) {
        let newest: Order? =
            switch event.payload {
            case is ConversationDeleted: newestReported(in: key)
            default: nil
            }
        // What is cleared are the lines of this device, too.
        let newestShown =
            event.payload is ConversationDeleted || event.payload is HistoryCleared
            ? [newestKnown(in: key), conversations[key]?.leftUpTo].compactMap(\.self).max() : nil
        let clearedUpTo = (event.payload as? HistoryCleared)?.upTo.flatMap { upTo in
            upTo.time.milliseconds > latestTime ? nil : Order(upTo)
        }
        switch event.payload {
        case let body as ConversationRead: read(upTo: body.upTo, in: key)
        case let body as HistoryCleared where !body.isRetention:
            read(upTo: clearedUpTo == nil ? nil : body.upTo, in: key, clearing: .some(clearedUpTo ?? newestShown))
        case let body as ConversationDeleted:
            read(upTo: nil, in: key, clearing: body.alsoMessages ? .some(newestShown) : nil)
        default: break
        }
        let order = clearedUpTo ?? newestShown
        let kept = messagesKept(by: event.payload, upTo: clearedUpTo, order, in: key)
        let account = account
        let clock = clock
        change(key) { entry in
            switch event.payload {
            case is ConversationRead:
                entry.choices.choose("\(EventType.conversationMarkedUnread)", at: nil, clock)
                entry.flags.remove(.conversationMarkedUnread)
            case let body as any ConversationFlagEvent:
                guard entry.choices.choose("\(event.type)", at: body.time, clock, holdsTie: body.isSet) else { return }
                entry.flags.remove(event.type)
                if body.isSet { entry.flags.insert(event.type) }
                if body is ConversationMarkedUnread {
                    if body.isSet { (entry.isKnown, entry.isHidden) = (true, false) }
                } else {
                    entry.isKnown = true
                }
            case let body as ConversationMuted:
                guard entry.choices.choose("mute", at: body.time, clock, holdsTie: body.isMuted) else { return }
                entry.isInList = true
                (entry.level, entry.mutedUntil) = (body.level, body.level == .all ? nil : body.until)
            case let body as ConversationDraftChanged where body.thread != nil:
                guard let thread = body.thread,
                    entry.choices.choose(
                        "draft \(thread)", at: body.time, clock, below: "drafts", holdsTie: body.isThere)
                else { return }
                entry.threadDrafts[thread] = body.draft
            case let body as ConversationDraftChanged:
                guard entry.choices.choose("draft", at: body.time, clock, holdsTie: body.isThere) else { return }
                entry.isInList = true
                entry.draft = body.text
                entry.hasDraft = body.isThere
                entry.states.draftTime = body.isThere ? body.time ?? clock.now : nil
            case let body as ConversationDeleted:
                let flags = EventCatalog.conversationFlags.map { "\($0.declaration.type)" }
                for choice in ["draft", "drafts"] + flags { entry.choices.choose(choice, at: nil, clock) }
                for thread in entry.threadDrafts.keys { entry.choices.choose("draft \(thread)", at: nil, clock) }
                entry.threadDrafts = [:]
                entry.isInList = true
                entry.isHidden = true
                entry.flags = []
                (entry.draft, entry.hasDraft) = (nil, false)
                entry.hiddenUpTo = [newest, entry.listedUpTo].compactMap(\.self).max()
                if body.alsoMessages { (entry.floor, entry.kept) = (entry.floor.raised(to: order), kept) }
            case is HistoryCleared:
                entry.isInList = true
                (entry.floor, entry.kept) = (entry.floor.raised(to: order), kept)
            default: entry.applyInformation(event, account: account, clock)
            }
        }
    }
}

extension StoreModel {
    /// The messages that are kept after a clearing: those above it, and where it has a place, of those that it names the
    /// ones that are not cleared.
    private func messagesKept(
        by event: any EventPayload, upTo place: Order?, _ order: Order?, in key: ConversationKey
    ) -> Set<UInt64> {
        let former = conversations[key]?.kept ?? []
        let above = former.filter { local in messages[local].map { order.isBelow($0.order) } ?? false }
        guard let order else { return former }
        guard place != nil, let event = event as? HistoryCleared else { return above }
        return above.union(
            named(event.kept, in: key).filter { local in
                messages[local].map { $0.order <= order && !isCleared($0) } ?? false
            })
    }

    /// The messages that an event names, of those that are there.
    func named(_ references: [MessageReference], in key: ConversationKey) -> Set<UInt64> {
        Set(references.compactMap { entry($0, in: key)?.local })
    }

    /// Whether a message is at or below the floor of its conversation, and was not kept.
    func isCleared(_ entry: MessageEntry) -> Bool {
        guard let conversation = conversations[entry.conversation] else { return false }
        return !conversation.floor.isBelow(entry.order) && !conversation.kept.contains(entry.local)
    }
}

extension StoreModel.ConversationEntry {
    mutating func applyInformation(_ event: Event, account: UserID, _ recorded: Moment) {
        switch event.payload {
        case let body as ConversationCreated:
            isKnown = true
            merge(body.fields)
            if let time = event.serverTime {
                confirmedActivity = max(confirmedActivity, min(time.milliseconds, recorded.latest))
            }
            for member in body.members { add(member, .invited, by: body.fields.creator) }
        case let body as ConversationUpdated:
            isKnown = true
            merge(body.fields)
        case let body as ConversationSnapshotReceived:
            isKnown = true
            isOutdated = false
            fields = body.fields
            guard let listed = body.members else { return }
            for member in Array(members.keys) where !listed.contains(member) { remove(member) }
            for member in listed { add(member, .invited, by: nil) }
        case let body as MembersAdded:
            isKnown = true
            isOutdated = true
            for member in body.members { add(member, body.kind, by: body.actor) }
        case let body as MembersRemoved:
            isKnown = true
            isOutdated = true
            for member in body.members { remove(member) }
        case let body as SelfInvited:
            if body.actor != account
                || max(confirmedActivity, provisionalActivity, states.draftTime?.milliseconds ?? 0) == 0
            {
                confirmedActivity = max(
                    confirmedActivity, min((event.serverTime ?? recorded.now).milliseconds, recorded.latest))
            }
            isKnown = true
            add(account, .invited, by: body.actor)
        case is SelfKicked:
            isKnown = true
            remove(account)
        case let body as MemberInfoChanged:
            if let nickname = body.nickname {
                let isSet = !nickname.isEmpty
                if choices.choose("nickname of \(body.member)", at: body.time, recorded, holdsTie: isSet) {
                    nicknames[body.member] = nickname.isEmpty ? nil : nickname
                }
            }
            if let role = body.role {
                if choices.choose("role of \(body.member)", at: body.time, recorded, holdsTie: role != 0) {
                    roles[body.member] = role
                }
            }
        default: break
        }
    }

    private mutating func merge(_ told: ConversationFields) {
        if let name = told.name { fields.name = name }
        if let creator = told.creator { fields.creator = creator }
        if let url = told.avatarURL { fields.avatarURL = url }
        if let attributes = told.attributes { fields.attributes = attributes }
        if let indexed = told.indexed { fields.indexed = indexed }
        if let kind = told.kind { fields.kind = kind }
    }

    private mutating func add(_ member: UserID, _ kind: JoinKind, by actor: UserID?) {
        guard members[member] == nil else { return }
        members[member] = Member(id: member, joinKind: kind, invitedBy: actor)
    }

    /// Roles end with membership; names stay for the messages that are left.
    private mutating func remove(_ member: UserID) {
        members[member] = nil
        roles[member] = nil
    }
}

extension StoreModel {
    mutating func applyAccountEvent(_ body: any EventPayload) {
        let position = UInt64(log.count)
        switch body {
        case let body as ProfilesFetched:
            for profile in body.profiles { profiles[profile.id] = ProfileEntry(profile: profile) }
        case let body as ProfileFetchFailed:
            for user in body.ids { profiles[user, default: ProfileEntry()].hasFailed = true }
        case let body as ProfileInvalidated:
            for user in body.ids ?? Array(profiles.keys) where profiles[user] != nil {
                guard !body.purges else {
                    profiles[user] = nil
                    continue
                }
                profiles[user]?.isStale = true
                profiles[user]?.hasFailed = false
            }
        case is OfflineSyncStarted:
            sync = Sync(isSyncing: true, hasMore: true, completions: sync.completions)
            startedAt = position
            packageIndices = []
        case let body as OfflinePackageReceived:
            if !sync.isSyncing {
                startedAt = position
                packageIndices = []
            }
            if let highest = packageIndices.max(), Int(body.index) > Int(highest) + 1 { sync.jumps += 1 }
            packageIndices.append(body.index)
            sync.isSyncing = true
            sync.hasMore = body.hasMore
            sync.packages += 1
            sync.messages += Int(body.messageCount)
        case is OfflineSyncCompleted:
            sync.isSyncing = false
            sync.hasMore = false
            sync.completions += 1
            completedAt = position
            joinWaiting()
        case let body as SessionStateChanged:
            if body.state != .interrupted { session = body }
            switch body.state {
            case .connected: connectedAt = position
            case .connecting: break
            case .interrupted where connectedAt == 0: break
            default: endedAt = position
            }
        case let body as ConversationFolderChanged: applyFolderEvent(body)
        case let body as SyncCursorAdvanced: cursors[body.name] = body.value
        default: applyTeamEvent(body)
        }
    }
}
