internal import MessageStore

extension StoreModel {
    /// What was known before a batch, and what its events told until now.
    struct BatchMemory: Sendable {
        var known: [UInt64: MessageEntry] = [:]
        /// The last position before it.
        var end: UInt64 = 0
        /// Acknowledgements without a time, and the messages that got one from a copy since.
        var untimed: Set<UInt64> = []
        var timed: Set<UInt64> = []
        var flags: [UInt64: MessageFlags] = [:]
    }

    /// A copy of a known message tells the server's time where it is missing, and flags that are new; nothing else.
    mutating func learn(
        _ original: UInt64, from copy: MessageReceived, _ event: Event, at time: Timestamp, isOwn: Bool = true
    ) {
        var news = MessageSnapshotReceived(.local(LocalMessageID(original)))
        let lacksTime = batch.untimed.contains(original) || batch.known[original]?.isTimeProvisional == true
        if isOwn, copy.sender == account, copy.sentTime != .unknown, lacksTime, !batch.timed.contains(original) {
            news.sentTime = copy.sentTime
            batch.timed.insert(original)
        }
        var known = batch.flags[original] ?? []
        if original > batch.end {
            known.formUnion((log[Int(original) - 1].payload as? MessageReceived)?.flags ?? [])
        } else {
            known.formUnion(batch.known[original]?.facts.userFlags ?? [])
        }
        var told = (copy.flags ?? []).intersection(possibleFlags(of: copy.content.type)).subtracting(known)
        if let entry = batch.known[original] { told.formIntersection(possibleFlags(of: entry)) }
        if !told.isEmpty { news.flags = told }
        batch.flags[original, default: []].formUnion(told)
        guard !news.isEmpty else { return }
        append(Event(news, in: event.conversation, origin: event.origin, device: event.device), at: time)
    }

    /// What an event tells of a message, a copy in the same batch does not tell again.
    mutating func noteTold(_ event: Event, _ key: ConversationKey) {
        let (references, flags, tellsTime): ([MessageReference], MessageFlags, Bool)
        switch event.payload {
        case let set as MessageStatusFlagsSet: (references, flags, tellsTime) = (set.messages, set.flags, false)
        case let told as MessageSnapshotReceived:
            (references, flags, tellsTime) = ([told.message], told.flags ?? [], told.sentTime ?? .unknown != .unknown)
        default: return
        }
        for local in references.compactMap({ entry($0, in: key)?.local }) {
            batch.flags[local, default: []].formUnion(flags)
            if tellsTime { batch.timed.insert(local) }
        }
    }

    /// What the server says of a message is what the single events would tell.
    mutating func applySnapshot(_ body: MessageSnapshotReceived, _ key: ConversationKey, _ position: UInt64) {
        update(body.message, in: key) { facts in
            if let content = body.content, let time = body.modifiedTime {
                facts.modifications.append(Modification(time: time, position: position, content: content))
            }
            facts.isRecalled = facts.isRecalled || body.isRecalled
            facts.userFlags.formUnion(body.flags ?? [])
            if body.deliveredCount ?? 0 > 0 { facts.reached = max(facts.reached, .delivered) }
            if body.counts?.read ?? 0 > 0 { facts.reached = max(facts.reached, .read) }
        }
        guard let time = body.sentTime, time != .unknown else { return }
        if let entry = entry(body.message, in: key) {
            settle(entry.local, at: time)
            if let original = entry.duplicateOf { settle(original, at: time) }
        } else if case .server(let id) = body.message {
            parked[ServerKey(conversation: key, id: id), default: Facts()].sentTime = time
        }
    }

    /// The server's time of a message that stood at this device's.
    private mutating func settle(_ local: UInt64, at time: Timestamp) {
        guard var entry = messages[local], entry.isTimeProvisional else { return }
        entry.serverTime = time
        messages[local] = entry
        moved(entry)
    }

    /// A message came to another place.
    mutating func moved(_ entry: MessageEntry) {
        guard !entry.isGone, entry.policy.updatesLastMessage else { return }
        let waiting = messages.values.filter {
            $0.conversation == entry.conversation && $0.isQueued && $0.serverTime == nil && !$0.isGone
                && $0.policy.updatesLastMessage
        }
        change(entry.conversation) { conversation in
            guard conversation.floor.isBelow(entry.order) else { return }
            if let time = entry.serverTime {
                conversation.confirmedActivity = max(conversation.confirmedActivity, time.milliseconds)
            }
            let times = waiting.filter { conversation.floor.isBelow($0.order) }.map(\.recordedTime.milliseconds)
            conversation.provisionalActivity = times.max() ?? 0
        }
    }
}
