public import MessageStore

extension StoreModel {
    /// The reactions to a message, by the first that is still given.
    public func reactions(to message: MessageReference, in key: ConversationKey) -> [ShownReaction] {
        struct Giver: Hashable {
            let key: String
            let user: UserID
        }
        var latest: [Giver: (time: Timestamp, position: UInt64, isGiven: Bool)] = [:]
        func tell(_ giver: Giver, _ time: Timestamp, _ position: UInt64, _ isGiven: Bool) {
            if let known = latest[giver], known.time > time { return }
            latest[giver] = (time, position, isGiven)
        }
        // A snapshot tells of every pair of a reaction and a user: those that it names, and that there are no others.
        var set: (time: Timestamp, position: UInt64, told: [ReactionSummary])?
        let facts = facts(of: message, in: key)
        for fact in facts {
            switch fact.payload {
            case let body as ReactionAdded: tell(Giver(key: body.key, user: body.user), body.time, fact.position, true)
            case let body as ReactionRemoved:
                tell(Giver(key: body.key, user: body.user), body.time, fact.position, false)
            case let body as MessageSnapshotReceived:
                guard let told = body.reactions else { continue }
                // Without a time it replaces all that was told before.
                let newest = max(set?.time ?? .unknown, latest.values.map(\.time).max() ?? .unknown)
                let time = snapshotTime(at: fact.position) ?? newest
                if let set, set.time > time { continue }
                set = (time, fact.position, told)
            default: continue
            }
        }
        if let set {
            latest = latest.filter { ($0.value.time, $0.value.position) > (set.time, set.position) }
            for summary in set.told {
                for user in summary.users where latest[Giver(key: summary.key, user: user)] == nil {
                    latest[Giver(key: summary.key, user: user)] = (set.time, set.position, true)
                }
            }
        }
        let given = latest.filter(\.value.isGiven).sorted { first, second in
            let (one, other) = ((first.value.time, first.value.position), (second.value.time, second.value.position))
            if one != other { return one < other }
            return (first.key.key, first.key.user) < (second.key.key, second.key.user)
        }
        var shown: [(reaction: ShownReaction, time: Timestamp, position: UInt64)] = []
        for giver in given {
            if let index = shown.firstIndex(where: { $0.reaction.key == giver.key.key }) {
                shown[index].reaction.users.append(giver.key.user)
                shown[index].reaction.count += 1
            } else {
                let reaction = ShownReaction(key: giver.key.key, users: [giver.key.user], count: 1)
                shown.append((reaction, giver.value.time, giver.value.position))
            }
        }
        for summary in set?.told ?? [] {
            guard let set, let count = summary.count else { continue }
            var sum = Int(count)
            for (giver, told) in latest
            where giver.key == summary.key && (told.time, told.position) > (set.time, set.position) {
                if !told.isGiven { sum -= 1 } else if !summary.users.contains(giver.user) { sum += 1 }
            }
            if let index = shown.firstIndex(where: { $0.reaction.key == summary.key }) {
                shown[index].reaction.count = max(sum, shown[index].reaction.users.count)
            } else if sum > 0 {
                shown.append((ShownReaction(key: summary.key, users: [], count: sum), set.time, set.position))
            }
        }
        return shown.sorted { ($0.time, $0.position, $0.reaction.key) < ($1.time, $1.position, $1.reaction.key) }
            .map(\.reaction)
    }

    /// As of when the snapshot at a position is told.
    private func snapshotTime(at position: UInt64) -> Timestamp? {
        let event = log[Int(position) - 1]
        let time = (event.payload as? MessageSnapshotReceived)?.time ?? event.serverTime
        return time == .unknown ? nil : time
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
        var deliveredCount: Int?
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
            case let body as MessageSnapshotReceived:
                if let count = body.deliveredCount { deliveredCount = max(deliveredCount ?? 0, Int(count)) }
                // Those who have read it do not become fewer.
                guard let told = body.counts, counts.map({ $0.counts.read <= told.read }) ?? true else { continue }
                let time = snapshotTime(at: fact.position) ?? .unknown
                counts = (max(counts?.time ?? time, time), told)
            default: continue
            }
        }
        return ShownReceipts(
            delivered: sorted(delivered), read: sorted(read), counts: counts?.counts,
            deliveredCount: deliveredCount)
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
