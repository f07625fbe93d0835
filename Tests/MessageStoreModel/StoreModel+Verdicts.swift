internal import MessageStore

extension StoreModel {
    mutating func applyVerdictEvent(_ event: Event, _ key: ConversationKey, _ position: UInt64, _ time: Moment) {
        switch event.payload {
        case let body as MessageInsertedLocally:
            let sender = body.sender ?? account
            arrive(
                MessageEntry(
                    local: position, conversation: key, sender: sender, isOutgoing: sender == account, isQueued: false,
                    token: nil, content: body.content,
                    policy: MessagePolicy(countsUnread: false, updatesLastMessage: body.updatesLastMessage),
                    mentionsAccount: false, moment: time, serverTime: body.time, isLocal: true))
        case let body as MessageStatusOverridden:
            update(body.message, in: key) { $0.reached = body.status }
            if case .local(let local) = body.message, entry(body.message, in: key)?.isUnacknowledged == true {
                messages[local.rawValue]?.isSettled = body.status >= .sent
            }
        case let body as MessageStatusFlagsSet:
            for message in body.messages { update(message, in: key) { $0.userFlags.formUnion(body.flags) } }
        case let body as AttachmentStateChanged:
            update(body.message, in: key) { $0.attachments[body.index] = (position, body) }
        case let body as MessageFiltered: update(body.message, in: key) { $0.verdict = (position, body.verdict) }
        case let body as MessageDuplicateSuppressed: suppress(body, in: key)
        default: applyGapEvent(event, key)
        }
    }

    mutating func suppress(_ body: MessageDuplicateSuppressed, in key: ConversationKey) {
        let serverKey = ServerKey(conversation: key, id: body.serverID)
        // The id of a message that was cut off is free.
        guard let local = serverIDs[serverKey], !cut.contains(local) else {
            guard let original = body.duplicateOf?.rawValue else { return }
            serverIDs[serverKey] = original
            if let facts = parked.removeValue(forKey: serverKey) { update(shownMessage(original)) { $0.join(facts) } }
            return
        }
        guard local != body.duplicateOf?.rawValue, let wasGone = messages[local]?.isGone else { return }
        messages[local]?.duplicateOf = body.duplicateOf?.rawValue
        if wasGone, let entry = messages[local], !entry.isGone { appear(entry) }
        // What was recorded of the repeat before is its original's as well.
        if let entry = messages[local], let original = entry.duplicateOf, original < local,
            messages[original]?.conversation == key
        {
            update(shownMessage(original)) { $0.join(entry.facts) }
        }
    }
}
