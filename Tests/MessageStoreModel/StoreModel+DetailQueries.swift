package import MessageStore

extension StoreModel {
    /// The reactions to a message, by the first that is still given.
    package func reactions(to message: MessageReference, in key: ConversationKey) -> [Reaction] {
        let state = reactions(reportedBy: facts(of: message, in: key))
        var shown: [(key: String, users: [UserID], count: Int, time: Timestamp, position: UInt64)] = []
        for (giver, told) in state.given {
            if let index = shown.firstIndex(where: { $0.key == giver.key }) {
                shown[index].users.append(giver.user)
                shown[index].count += 1
            } else {
                shown.append((giver.key, [giver.user], 1, told.time, told.position))
            }
        }
        for summary in state.set?.told ?? [] {
            guard let set = state.set, let count = summary.count else { continue }
            let sum = state.count(summary, told: count)
            if let index = shown.firstIndex(where: { $0.key == summary.key }) {
                shown[index].count = max(sum, shown[index].users.count)
            } else if sum > 0 {
                shown.append((summary.key, [], sum, set.time, set.position))
            }
        }
        return shown.sorted { ($0.time, $0.position, $0.key) < ($1.time, $1.position, $1.key) }
            .map { Reaction(key: $0.key, users: $0.users, count: $0.count) }
    }

    private func reactions(reportedBy facts: [DetailFact]) -> ToldReactions {
        var state = ToldReactions()
        for fact in facts {
            switch fact {
            case .joined(let others): state.join(reactions(reportedBy: others))
            case .event(let position, let body as ReactionAdded):
                state.tell(.init(key: body.key, user: body.user), body.time, position, true)
            case .event(let position, let body as ReactionRemoved):
                state.tell(.init(key: body.key, user: body.user), body.time, position, false)
            case .event(let position, let body as MessageSnapshotReceived):
                guard let told = body.reactions else { continue }
                state.tell(told, asOf: snapshotTime(at: position), position)
            case .event: continue
            }
        }
        return state
    }

    /// As of when the snapshot at a position is told.
    private func snapshotTime(at position: UInt64) -> Timestamp? {
        let event = log[Int(position) - 1]
        let time = (event.payload as? MessageSnapshotReceived)?.time ?? event.serverTime
        return time == .unknown ? nil : time
    }

    /// The key-value pairs beside a message.
    package func metadata(of message: MessageReference, in key: ConversationKey) -> [String: String] {
        var pairs: [String: (time: Timestamp, position: UInt64, value: String?)] = [:]
        for (position, payload) in events(of: message, in: key) {
            guard let body = payload as? MessageMetadataChanged else { continue }
            let told = body.values.map { ($0.key, Optional($0.value)) } + body.removed.map { ($0, String?.none) }
            for (key, value) in told {
                if let known = pairs[key], (known.time, known.position) > (body.time, position) { continue }
                pairs[key] = (body.time, position, value)
            }
        }
        return pairs.compactMapValues(\.value)
    }

    /// Who received and who read a message.
    package func receipts(of message: MessageReference, in key: ConversationKey) -> MessageReceipts {
        var delivered: [UserID: Timestamp?] = [:]
        var read: [UserID: Timestamp?] = [:]
        var deliveredCount: Int?
        if let named = entry(message, in: key), let entry = messages[shownMessage(named.local)], entry.isOutgoing,
            !entry.isLocal,
            let told = entry.serverTime, let conversation = conversations[key]
        {
            let time = Timestamp(milliseconds: min(told.milliseconds, entry.latestTime))
            for (member, mark) in conversation.deliveredMarks where time <= mark { delivered[member] = .some(nil) }
            for (member, mark) in conversation.readMarks where time <= mark { read[member] = .some(nil) }
        }
        func note(_ member: UserID, _ time: Timestamp, in times: inout [UserID: Timestamp?]) {
            if let known = times[member], let first = known, first <= time { return }
            times[member] = time
        }
        for (_, payload) in events(of: message, in: key) {
            switch payload {
            case let body as MessageDelivered:
                if let member = body.member, member != account { note(member, body.time, in: &delivered) }
            case let body as MessageReadByPeer:
                guard let reader = body.reader, reader != account else { continue }
                note(reader, body.time, in: &delivered)
                note(reader, body.time, in: &read)
            case let body as MessageSnapshotReceived:
                if let count = body.deliveredCount { deliveredCount = max(deliveredCount ?? 0, Int(count)) }
            default: continue
            }
        }
        let counts = readCounts(reportedBy: facts(of: message, in: key))
        return MessageReceipts(
            delivered: sorted(delivered), read: sorted(read), counts: counts?.counts,
            deliveredCount: deliveredCount)
    }

    private typealias ToldCounts = (time: Timestamp, position: UInt64, counts: ReadCounts)

    private func readCounts(reportedBy facts: [DetailFact]) -> ToldCounts? {
        var counts: ToldCounts?
        for fact in facts {
            switch fact {
            case .joined(let others):
                guard let told = readCounts(reportedBy: others) else { continue }
                if let counts, (told.time, told.position) <= (counts.time, counts.position) { continue }
                counts = told
            case .event(let position, let body as MessageReadByPeer):
                guard let told = body.counts, counts.map({ $0.time <= body.time }) ?? true else { continue }
                counts = (body.time, position, told)
            case .event(let position, let body as MessageSnapshotReceived):
                // Those who have read it do not become fewer.
                guard let told = body.counts, counts.map({ $0.counts.read <= told.read }) ?? true else { continue }
                let time = snapshotTime(at: position) ?? .unknown
                counts = (max(counts?.time ?? time, time), position, told)
            case .event: continue
            }
        }
        return counts
    }

    private func sorted(_ times: [UserID: Timestamp?]) -> [MemberReceipt] {
        times.map { MemberReceipt(member: $0.key, time: $0.value) }.sorted {
            ($0.time ?? .latest, $0.member) < ($1.time ?? .latest, $1.member)
        }
    }

    /// How far a member has received and read the account's messages.
    package func markers(
        of member: UserID, in key: ConversationKey
    ) -> (delivered: Timestamp?, read: Timestamp?) {
        (conversations[key]?.deliveredMarks[member], conversations[key]?.readMarks[member])
    }

    private func facts(of message: MessageReference, in key: ConversationKey) -> [DetailFact] {
        guard let name = names(for: message, in: key).last else { return [] }
        return details[NameKey(conversation: key, message: name)] ?? []
    }

    /// What was recorded of a message under any of its ids, where the order does not matter.
    func events(
        of message: MessageReference, in key: ConversationKey
    ) -> [(position: UInt64, payload: any EventPayload)] {
        func events(_ facts: [DetailFact]) -> [(position: UInt64, payload: any EventPayload)] {
            facts.flatMap { fact in
                switch fact {
                case .joined(let others): events(others)
                case .event(let position, let payload): [(position, payload)]
                }
            }
        }
        return events(facts(of: message, in: key))
    }
}
