/// Finds conversations that events are about, and whose existence no event records: an id may be misspelt.
struct StrayConversations {
    private struct Stray {
        let first: Position
        var count: Int
    }

    private var known: Set<ConversationKey> = []
    private var strays: [ConversationKey: Stray] = [:]

    mutating func examine(_ event: Event, at position: Position) {
        guard let key = event.conversation else {
            if let fetched = event.payload as? TeamInfoFetched { fetched.teams.forEach { learn($0.id) } }
            return
        }
        guard !known.contains(key) else { return }
        switch event.payload {
        case is MessageReceived, is MessageSendQueued, is MessageInsertedLocally, is ConversationUpdated,
            is ChatRoomJoined:
            learn(key)
        case is ConversationCreated, is ConversationSnapshotReceived, is MembersAdded, is MembersRemoved,
            is MemberInfoChanged, is MemberMuted, is MemberBlocked, is SelfInvited, is SelfKicked:
            learn(key)
        case is UnknownEvent, is RecordLost: break
        default: strays[key, default: Stray(first: position, count: 0)].count += 1
        }
    }

    private mutating func learn(_ key: ConversationKey) {
        known.insert(key)
        strays[key] = nil
    }

    /// Those that are like a known one first.
    func findings() -> [Finding] {
        let likenesses = Dictionary(grouping: known) { $0.caselessID }
        let found = strays.map { key, stray in
            let like = key.likeliest(of: likenesses[key.caselessID] ?? [])
            let count = NumberFormat.count(stray.count, "event", "events")
            let finding = Finding(at: stray.first, in: key) { names in
                like.map { "\(count); there is \(names.label(of: $0))" } ?? count
            }
            return (finding: finding, isLike: like != nil, first: stray.first)
        }
        return found.ordered { ($1.isLike ? 1 : 0, $0.first) < ($0.isLike ? 1 : 0, $1.first) }.map(\.finding)
    }
}

extension ConversationKey {
    /// The id and the channel without case.
    var caselessID: String { (id + "#" + (channel ?? "")).lowercased() }

    /// The conversation that is most like this one, of those that have the same id without case; one of the same kind
    /// if there is one.
    func likeliest(of others: some Sequence<ConversationKey>) -> ConversationKey? {
        others.filter { $0 != self && $0.caselessID == caselessID }.min {
            ($0.kind == kind ? 0 : 1, $0.description) < ($1.kind == kind ? 0 : 1, $1.description)
        }
    }
}
