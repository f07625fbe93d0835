public import MessageStore

extension StoreModel {
    /// The reactions to a message, by the first that is still given.
    public func reactions(to message: MessageReference, in key: ConversationKey) -> [ShownReaction] {
        struct Giver: Hashable {
            let key: String
            let user: UserID
        }
        var latest: [Giver: (time: Timestamp, position: UInt64, isGiven: Bool)] = [:]
        for fact in facts(of: message, in: key) {
            let told: (giver: Giver, time: Timestamp, isGiven: Bool)
            switch fact.payload {
            case let body as ReactionAdded: told = (Giver(key: body.key, user: body.user), body.time, true)
            case let body as ReactionRemoved: told = (Giver(key: body.key, user: body.user), body.time, false)
            default: continue
            }
            if let known = latest[told.giver], known.time > told.time { continue }
            latest[told.giver] = (told.time, fact.position, told.isGiven)
        }
        let given = latest.filter(\.value.isGiven).sorted {
            ($0.value.time, $0.value.position) < ($1.value.time, $1.value.position)
        }
        var keys: [String] = []
        for giver in given where !keys.contains(giver.key.key) { keys.append(giver.key.key) }
        return keys.map { key in ShownReaction(key: key, users: given.filter { $0.key.key == key }.map(\.key.user)) }
    }

    /// The key-value pairs beside a message.
    public func metadata(of message: MessageReference, in key: ConversationKey) -> [String: String] {
        var pairs: [String: (time: Timestamp, value: String?)] = [:]
        for fact in facts(of: message, in: key) {
            guard let body = fact.payload as? MessageMetadataChanged else { continue }
            let told = body.values.map { ($0.key, Optional($0.value)) } + body.removed.map { ($0, String?.none) }
            for (key, value) in told {
                if let known = pairs[key], known.time > body.time { continue }
                pairs[key] = (body.time, value)
            }
        }
        return pairs.compactMapValues(\.value)
    }

    /// Who received and who read a message.
    public func receipts(of message: MessageReference, in key: ConversationKey) -> ShownReceipts {
        var delivered: [UserID: Timestamp?] = [:]
        var read: [UserID: Timestamp?] = [:]
        var counts: (time: Timestamp, counts: ReadCounts)?
        if let named = entry(message, in: key), let entry = messages[shownMessage(named.local)], entry.isOutgoing,
            !entry.isLocal,
            let time = entry.serverTime, let conversation = conversations[key]
        {
            for (member, mark) in conversation.deliveredMarks where time <= mark { delivered[member] = .some(nil) }
            for (member, mark) in conversation.readMarks where time <= mark { read[member] = .some(nil) }
        }
        func note(_ member: UserID, _ time: Timestamp, in times: inout [UserID: Timestamp?]) {
            if let known = times[member], let first = known, first <= time { return }
            times[member] = time
        }
        for fact in facts(of: message, in: key) {
            switch fact.payload {
            case let body as MessageDelivered:
                if let member = body.member { note(member, body.time, in: &delivered) }
            case let body as MessageReadByPeer:
                if let told = body.counts, counts.map({ $0.time <= body.time }) ?? true { counts = (body.time, told) }
                guard let reader = body.reader else { continue }
                note(reader, body.time, in: &delivered)
                note(reader, body.time, in: &read)
            default: continue
            }
        }
        return ShownReceipts(delivered: sorted(delivered), read: sorted(read), counts: counts?.counts)
    }

    private func sorted(_ times: [UserID: Timestamp?]) -> [ShownReceipt] {
        times.map { ShownReceipt(member: $0.key, time: $0.value) }.sorted {
            ($0.time ?? .latest, $0.member) < ($1.time ?? .latest, $1.member)
        }
    }

    /// How far a member has received and read the account's messages.
    public func watermarks(
        of member: UserID, in key: ConversationKey
    ) -> (delivered: Timestamp?, read: Timestamp?) {
        (conversations[key]?.deliveredMarks[member], conversations[key]?.readMarks[member])
    }

    func facts(of message: MessageReference, in key: ConversationKey) -> [DetailFact] {
        guard let id = serverID(of: message, in: key) else { return [] }
        return details[ServerKey(conversation: key, id: id)] ?? []
    }
}
