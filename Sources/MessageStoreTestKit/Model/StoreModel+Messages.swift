internal import MessageStore

extension StoreModel {
    mutating func applyMessageEvent(_ event: Event, _ key: ConversationKey, _ position: UInt64, _ time: Timestamp) {
        switch event.body {
        case .messageReceived(let body):
            let entry = MessageEntry(
                local: position, conversation: key, sender: body.sender, isOutgoing: body.sender == account,
                isQueued: false, token: body.clientToken, content: body.content, policy: body.policy,
                mentionsAccount: mentions(body.context), recordedTime: time, serverID: body.serverID,
                serverTime: body.sentTime)
            serverIDs[ServerKey(conversation: key, id: body.serverID)] = position
            arrive(entry)
        case .messageSendQueued(let body):
            let entry = MessageEntry(
                local: position, conversation: key, sender: account, isOutgoing: true, isQueued: true,
                token: body.clientToken, content: body.content, policy: body.policy,
                mentionsAccount: false, recordedTime: time)
            arrive(entry)
        case .messageSent(let body): acknowledge(body, key)
        case .messageSendFailed(let body):
            guard let entry = waiting(body.message, in: key), entry.failure == nil else { return }
            messages[entry.local]?.failure = body.code
        case .messageSendRetried(let body):
            guard let entry = waiting(body.message, in: key), entry.failure != nil else { return }
            messages[entry.local]?.failure = nil
        case .messageModified(let body):
            let change = Modification(time: body.time, position: position, content: body.content)
            update(body.message, in: key) { $0.modifications.append(change) }
        case .messageRecalled(let body): update(body.message, in: key) { $0.isRecalled = true }
        case .messagesDeleted(let body):
            for message in body.messages { update(message, in: key) { $0.isDeleted = true } }
        case .messageDelivered(let body): receipt(body.scope, body.time, isRead: false, key)
        case .messageReadByPeer(let body): receipt(body.scope, body.time, isRead: true, key)
        default: break
        }
    }

    private func mentions(_ context: MessageContext) -> Bool {
        context.mentionsEveryone || context.mentions.contains(account)
    }

    /// A queued message that no server accepted and no receipt tells to be further.
    private func waiting(_ local: LocalMessageID, in key: ConversationKey) -> MessageEntry? {
        guard let entry = messages[local.rawValue], entry.conversation == key, entry.isUnacknowledged,
            entry.facts.deliveries.isEmpty, entry.facts.readings.isEmpty
        else { return nil }
        return entry
    }

    private mutating func arrive(_ arriving: MessageEntry) {
        var entry = arriving
        if let id = entry.serverID,
            let facts = parked.removeValue(forKey: ServerKey(conversation: entry.conversation, id: id))
        {
            entry.facts.join(facts)
        }
        messages[entry.local] = entry
        guard !entry.facts.isDeleted, entry.policy.updatesLastMessage else { return }
        change(entry.conversation) { conversation in
            guard conversation.floor.isBelow(entry.order) else { return }
            conversation.isInList = true
            if conversation.hiddenUpTo.isBelow(entry.order) { conversation.isHidden = false }
            if let time = entry.serverTime {
                conversation.confirmedActivity = max(conversation.confirmedActivity, time.milliseconds)
            } else {
                conversation.provisionalActivity = max(
                    conversation.provisionalActivity, entry.recordedTime.milliseconds)
            }
        }
    }

    /// The server's answer gives a queued message its id and time, and with them all that was told of that id.
    private mutating func acknowledge(_ sent: MessageSent, _ key: ConversationKey) {
        guard var entry = messages[sent.message.rawValue], entry.conversation == key, entry.isUnacknowledged else {
            return
        }
        let serverKey = ServerKey(conversation: key, id: sent.serverID)
        let wasGone = entry.isGone
        entry.serverID = sent.serverID
        entry.serverTime = sent.sentTime
        entry.failure = nil
        if let echo = serverIDs[serverKey], let facts = messages[echo]?.facts {
            entry.facts.join(facts)
            messages[echo]?.isReplaced = true
        }
        if let facts = parked.removeValue(forKey: serverKey) { entry.facts.join(facts) }
        serverIDs[serverKey] = entry.local
        messages[entry.local] = entry
        guard !wasGone, !entry.isGone, entry.policy.updatesLastMessage else { return }
        let unsent = messages.values.filter {
            $0.conversation == key && $0.isUnacknowledged && !$0.isGone && $0.policy.updatesLastMessage
        }
        change(key) { conversation in
            guard conversation.floor.isBelow(entry.order) else { return }
            conversation.confirmedActivity = max(conversation.confirmedActivity, sent.sentTime.milliseconds)
            conversation.provisionalActivity = unsent.map(\.recordedTime.milliseconds).max() ?? 0
        }
    }

    private mutating func receipt(_ scope: ReceiptScope, _ time: Timestamp, isRead: Bool, _ key: ConversationKey) {
        switch scope {
        case .messages(let references):
            for reference in references {
                update(reference, in: key) { facts in
                    if isRead { facts.readings.append(time) } else { facts.deliveries.append(time) }
                }
            }
        case .upTo(let upTo):
            change(key) { conversation in
                conversation.deliveredUpTo = max(conversation.deliveredUpTo, upTo.milliseconds)
                if isRead { conversation.peerReadUpTo = max(conversation.peerReadUpTo, upTo.milliseconds) }
            }
        }
    }

    /// Adds facts to a message; those about an unknown server id wait for it (d18).
    private mutating func update(
        _ reference: MessageReference, in key: ConversationKey, _ body: (inout Facts) -> Void
    ) {
        if let entry = entry(reference, in: key) {
            if var facts = messages[entry.local]?.facts {
                body(&facts)
                messages[entry.local]?.facts = facts
            }
        } else if case .server(let id) = reference {
            body(&parked[ServerKey(conversation: key, id: id), default: Facts()])
        }
    }
}
