internal import MessageStore

extension StoreModel {
    mutating func applyMessageEvent(_ event: Event, _ key: ConversationKey, _ position: UInt64, _ time: Moment) {
        switch event.payload {
        case let body as MessageReceived:
            let order = Order(time: body.sentTime, id: body.serverID)
            let isPast = event.origin == .history && !countsHistory && isOfThePast(order, in: key, at: position)
            var entry = MessageEntry(
                local: position, conversation: key, sender: body.sender, isOutgoing: body.sender == account,
                isQueued: false, token: body.clientToken, content: body.content, policy: body.policy,
                mentionsAccount: mentions(body.context),
                namesAccount: body.context.mentions.contains(account), needsMarker: isPast,
                isFromHistory: event.origin == .history,
                moment: time, serverID: body.serverID,
                serverTime: body.sentTime, isDirectedAtOthers: isDirectedAtOthers(body, in: key))
            entry.facts.userFlags = possibleFlags(of: entry).intersection(body.flags ?? [])
            noteArrival(entry.order, event.origin, in: key)
            serverIDs[ServerKey(conversation: key, id: body.serverID)] = position
            arrive(entry)
        case let body as MessageSendQueued:
            var entry = MessageEntry(
                local: position, conversation: key, sender: account, isOutgoing: true, isQueued: true,
                token: body.clientToken, content: body.content, policy: body.policy,
                mentionsAccount: false, moment: time)
            entry.facts.reached = .sending
            arrive(entry)
        case let body as MessageSent:
            let sentTime = body.sentTime ?? event.serverTime
            if let sentTime {
                noteArrival(Order(time: sentTime, id: body.serverID), event.origin, in: key, isOwn: true)
            }
            acknowledge(body, at: sentTime, key)
        case let body as MessageSnapshotReceived: applySnapshot(body, key, position)
        case let body as MessageSendFailed:
            guard let entry = waiting(body.message, in: key), entry.facts.reached == .sending else { return }
            messages[entry.local]?.failure = body.code
            messages[entry.local]?.facts.reached = .failed
        case let body as MessageSendRetried:
            guard let entry = waiting(body.message, in: key), entry.facts.reached == .failed else { return }
            messages[entry.local]?.failure = 0
            messages[entry.local]?.facts.reached = .sending
        case let body as MessageModified:
            var change = Modification(time: body.time, position: position, content: body.content)
            change.mention = mention(body.mentions, body.mentionsEveryone)
            update(body.message, in: key) { $0.modifications.append(change) }
        case let body as MessageRecalled: update(body.message, in: key) { $0.isRecalled = true }
        case let body as MessagesDeleted:
            for message in body.messages { update(message, in: key) { $0.isDeleted = true } }
        case let body as MessageDelivered where body.member != account:
            receipt(body.scope, body.time, isRead: false, key)
        case let body as MessageReadByPeer where body.reader != account:
            receipt(body.scope, body.time, isRead: true, key)
        default: applyVerdictEvent(event, key, position, time)
        }
    }

    /// A list of who may see a message counts where more than two talk (A27–A30).
    private func isDirectedAtOthers(_ message: MessageReceived, in key: ConversationKey) -> Bool {
        guard key.kind != .single, let users = message.context.visibleTo else { return false }
        return message.sender != account && !users.contains(account)
    }

    /// What an edit says of mentions; nil where it says nothing.
    func mention(_ users: [UserID]?, _ isOfEveryone: Bool) -> (isThere: Bool, isByName: Bool)? {
        guard users != nil || isOfEveryone else { return nil }
        let isByName = users?.contains(account) ?? false
        return (isByName || isOfEveryone, isByName)
    }

    private func mentions(_ context: MessageContext) -> Bool {
        context.mentionsEveryone || context.mentions.contains(account)
    }

    /// A queued message that no server accepted.
    private func waiting(_ local: LocalMessageID, in key: ConversationKey) -> MessageEntry? {
        guard let entry = messages[local.rawValue], entry.conversation == key, entry.isUnacknowledged else {
            return nil
        }
        return entry
    }

    mutating func arrive(_ arriving: MessageEntry) {
        var entry = arriving
        if let id = entry.serverID,
            let facts = parked.removeValue(forKey: ServerKey(conversation: entry.conversation, id: id))
        {
            entry.facts.join(facts)
            entry.facts.userFlags.formIntersection(possibleFlags(of: entry))
        }
        messages[entry.local] = entry
        if !entry.isGone { appear(entry) }
    }

    /// A message enters the timeline, as new or because what hid it is gone.
    func possibleFlags(of entry: MessageEntry) -> MessageFlags { possibleFlags(of: entry.originalType) }

    func possibleFlags(of type: ContentType) -> MessageFlags {
        switch type {
        case .audio: [.read, .listened, .downloaded, .retrieved]
        case .image, .video, .file: [.read, .downloaded, .retrieved]
        case .text, .action, .notice, .location, .tip: [.read, .retrieved]
        default: [.read, .listened, .downloaded, .retrieved]
        }
    }

    mutating func appear(_ entry: MessageEntry) {
        guard entry.policy.updatesLastMessage || entry.countsUnread, !isCleared(entry) else { return }
        change(entry.conversation) { conversation in
            conversation.isKnown = true
            if conversation.hiddenUpTo.isBelow(entry.order) { conversation.isHidden = false }
            guard entry.policy.updatesLastMessage else { return }
            if let time = entry.serverTime {
                conversation.confirmedActivity = max(
                    conversation.confirmedActivity, min(time.milliseconds, entry.moment.latest))
            } else {
                conversation.provisionalActivity = max(
                    conversation.provisionalActivity, entry.recordedTime.milliseconds)
            }
        }
    }

    /// The server's answer gives a queued message its id and time, and with them all that was told of that id.
    private mutating func acknowledge(_ sent: MessageSent, at time: Timestamp?, _ key: ConversationKey) {
        guard var entry = messages[sent.message.rawValue], entry.conversation == key, entry.isQueued else { return }
        guard entry.isUnacknowledged else { return acknowledgeAgain(sent, key) }
        let serverKey = ServerKey(conversation: key, id: sent.serverID)
        entry.serverID = sent.serverID
        entry.serverTime = time
        entry.failure = 0
        entry.facts.reached = max(entry.facts.reached, .sent)
        if let echo = serverIDs[serverKey], !cut.contains(echo), messages[echo]?.serverID == sent.serverID,
            let facts = messages[echo]?.facts
        {
            entry.facts.join(facts)
            if entry.serverTime == nil, let told = messages[echo]?.serverTime, told != .unknown {
                entry.serverTime = told
            }
            messages[echo]?.isReplaced = true
        }
        if let facts = parked.removeValue(forKey: serverKey) {
            entry.facts.join(facts)
            entry.serverTime = entry.serverTime ?? facts.sentTime
        }
        entry.facts.userFlags.formIntersection(possibleFlags(of: entry))
        serverIDs[serverKey] = entry.local
        messages[entry.local] = entry
        moved(entry)
    }

    /// The id of a second acknowledgement names the message as well; an echo that came under it repeats the message.
    private mutating func acknowledgeAgain(_ sent: MessageSent, _ key: ConversationKey) {
        if let other = serverIDs[ServerKey(conversation: key, id: sent.serverID)].flatMap({ messages[$0] }),
            !cut.contains(other.local)
        {
            let isEcho = other.isOutgoing && !other.isQueued && !other.isLocal
            guard isEcho, other.local > sent.message.rawValue else { return }
        }
        suppress(
            MessageDuplicateSuppressed(serverID: sent.serverID, duplicateOf: sent.message, rule: .clientToken), in: key)
    }

    private mutating func receipt(_ scope: ReceiptScope, _ time: Timestamp, isRead: Bool, _ key: ConversationKey) {
        switch scope {
        case .messages(let references):
            for reference in references {
                update(reference, in: key) { facts in
                    if isRead { facts.readings.append(time) } else { facts.deliveries.append(time) }
                    facts.reached = max(facts.reached, isRead ? .read : .delivered)
                }
            }
        case .upTo(let upTo):
            let time = min(upTo.milliseconds, latestTime)
            change(key) { conversation in
                conversation.deliveredUpTo = max(conversation.deliveredUpTo, time)
                if isRead { conversation.peerReadUpTo = max(conversation.peerReadUpTo, time) }
            }
        }
    }

    /// Adds facts to a message; those about an unknown server id wait for it (d18), those about a repeat are also told
    /// of its original.
    mutating func update(_ reference: MessageReference, in key: ConversationKey, _ body: (inout Facts) -> Void) {
        if let named = entry(reference, in: key), let entry = messages[shownMessage(named.local)] {
            update(entry.local, body)
            if let original = entry.duplicateOf, original < entry.local, messages[original]?.conversation == key {
                update(shownMessage(original), body)
            }
        } else if case .server(let id) = reference {
            body(&parked[ServerKey(conversation: key, id: id), default: Facts()])
        }
    }

    mutating func update(_ local: UInt64, _ body: (inout Facts) -> Void) {
        guard var entry = messages[local] else { return }
        let wasGone = entry.isGone
        let reached = entry.facts.reached
        body(&entry.facts)
        if !entry.isOutgoing || entry.isLocal { entry.facts.reached = reached }
        entry.facts.userFlags.formIntersection(possibleFlags(of: entry))
        messages[local] = entry
        if wasGone, !entry.isGone { appear(entry) }
    }
}
