internal import MessageStore

extension StoreModel {
    /// A copy of a known message tells the server's time where it is missing, and flags that are new; nothing else.
    mutating func learn(
        _ original: UInt64, from copy: MessageReceived, _ event: Event, at time: Timestamp, isOwn: Bool = true
    ) {
        guard let entry = messages[original] else { return }
        var news = MessageSnapshotReceived(.local(LocalMessageID(original)))
        if isOwn, copy.sender == account, copy.sentTime != .unknown, entry.isTimeProvisional {
            news.sentTime = copy.sentTime
        }
        let told = (copy.flags ?? []).intersection(possibleFlags(of: copy.content.type))
            .intersection(possibleFlags(of: entry)).subtracting(entry.facts.userFlags)
        if !told.isEmpty { news.flags = told }
        if entry.isForgotten { news.sentTime = copy.sentTime }
        guard !news.isEmpty else { return }
        append(Event(any: news, in: event.conversation, origin: event.origin, device: event.device), at: time)
    }

    /// What the server says of a message is what the single events would tell.
    mutating func applySnapshot(_ body: MessageSnapshotReceived, _ key: ConversationKey, _ position: UInt64) {
        // By then it has its place.
        defer { showAgain(body.message, in: key) }
        let mention = mention(body.mentions, body.mentionsEveryone)
        update(body.message, in: key) { facts in
            if let content = body.content, let time = body.modifiedTime {
                facts.modifications.append(
                    Modification(time: time, position: position, content: content, mention: mention))
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

    /// The server has a message of a chat room that was left, or a repeat of it.
    private mutating func showAgain(_ named: MessageReference, in key: ConversationKey) {
        guard let entry = entry(named, in: key).flatMap({ messages[shownMessage($0.local)] }) else { return }
        for local in [entry.local, entry.duplicateOf ?? .max] where local <= entry.local {
            guard let message = messages[local], message.isForgotten, message.conversation == key else { continue }
            messages[local]?.isForgotten = false
            if let message = messages[local], !message.isGone { appear(message) }
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
        let isCleared = isCleared(entry)
        change(entry.conversation) { conversation in
            if !isCleared, let time = entry.serverTime {
                conversation.confirmedActivity = max(
                    conversation.confirmedActivity, min(time.milliseconds, entry.moment.latest))
            }
            let times = waiting.filter { conversation.floor.isBelow($0.order) }.map(\.recordedTime.milliseconds)
            conversation.provisionalActivity = times.max() ?? 0
        }
    }
}
