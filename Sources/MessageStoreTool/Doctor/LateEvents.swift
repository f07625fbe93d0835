/// Finds events that the server made before others of the same matter which were recorded first: the last one recorded
/// holds, so they may have undone what is newer.
struct LateEvents {
    /// By the hash of a matter that an event reports and a later event replaces.
    private var newest = RecentValues<(time: Timestamp, position: Position)>(capacity: 1 << 16)
    private let account: UserID

    init(account: UserID) { self.account = account }

    /// Takes an event; answers with what was recorded before it and is newer, or nil.
    mutating func examine(_ event: Event, at position: Position) -> String? {
        guard event.type.has(.replacesEarlier), let time = event.serverTime, time != .latest,
            time != .unknown, !Examination.isInSeconds(time)
        else { return nil }
        // A choice that says when it was made undoes nothing newer.
        let isMerged = event.type.has(.mergedByTime)
        if isMerged, event.payload.fieldTexts.contains(where: { $0.name == "time" && $0.text != nil }) { return nil }
        let (reported, compared) = matters(of: event)
        let newer = compared.compactMap { newest[$0.hashValue] }.max { $0.time < $1.time }
        for hash in reported.map(\.hashValue) where (newest[hash]?.time ?? .unknown) < time {
            newest[hash] = (time, position)
        }
        guard let newer, time < newer.time else { return nil }
        return "of \(time), recorded after \(newer.position) of \(newer.time)"
    }

    /// The matters that an event reports, and those than whose last report it must not be older.
    private func matters(of event: Event) -> (reported: [String], compared: [String]) {
        let place = "\(event.conversation?.description ?? "")/"
        let (list, anyMember) = (["\(place)list"], ["\(place)members"])
        var reported = ["\(place)\(event.type) \(event.namedMembers(account)?.first?.rawValue ?? "")"]
        switch event.payload {
        case is MembersAdded, is MembersRemoved, is SelfInvited, is SelfKicked:
            let members = (event.namedMembers(account) ?? []).map { "\(place)member \($0)" }
            return (members + anyMember, members + list)
        case is ConversationCreated, is ConversationUpdated, is ConversationSnapshotReceived:
            reported = ["\(place)fields"]
            let hasList = (event.payload as? ConversationSnapshotReceived)?.members != nil
            if hasList { return (reported + list, reported + list + anyMember) }
        case let fetched as ProfilesFetched: reported = fetched.profiles.map { "profile \($0.id)" }
        case let fetched as TeamInfoFetched: reported = fetched.teams.map { "team \($0.id)" }
        default: break
        }
        return (reported, reported)
    }
}

extension Event {
    /// The members that an event about members names; nil for other events, and for lists that were not reported.
    func namedMembers(_ account: UserID) -> [UserID]? {
        switch payload {
        case let added as MembersAdded: added.members
        case let removed as MembersRemoved: removed.members
        case let changed as MemberInfoChanged: [changed.member]
        case let muted as MemberMuted: [muted.member]
        case let blocked as MemberBlocked: [blocked.member]
        case let created as ConversationCreated: created.members
        case let snapshot as ConversationSnapshotReceived: snapshot.members
        case is SelfInvited, is SelfKicked: [account]
        default: nil
        }
    }
}

/// The latest values noted under the hash of each key, in bounded memory.
struct RecentValues<Value> {
    /// The keys of which the latest are always remembered; at most twice as many are.
    private let capacity: Int
    private var recent: [Int: Value] = [:]
    private var older: [Int: Value] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// The value of a key by its `hashValue`; nil if there is none, or none any more.
    subscript(hash: Int) -> Value? {
        get { recent[hash] ?? older[hash] }
        set {
            if recent.count == capacity { (older, recent) = (recent, [:]) }
            recent[hash] = newValue
        }
    }
}

/// The messages that were received lately, by what makes another look like the same one.
struct ReceivedMessages {
    /// An earlier message that seems to be the same as one.
    enum Earlier {
        /// In the same conversation under another id: sender, time and content are equal.
        case inConversation(Position)
        /// In another conversation under the same id: sender, time and content are equal, too, since an id alone may
        /// count within its conversation.
        case inOther(Position)
    }

    /// Messages that are always remembered by their content, and by their ids.
    static let (contents, names) = (1 << 17, 3 << 17)

    private var byContent = RecentValues<Position>(capacity: contents)
    private var byName = RecentValues<Position>(capacity: names)

    /// The messages that were entered.
    private(set) var count = 0

    /// Enters a message; answers with an earlier one that seems to be the same, or nil.
    mutating func insert(_ message: MessageReceived, in conversation: ConversationKey?, at position: Position)
        -> Earlier?
    {
        count += 1
        let content = [message.sender.hashValue, message.sentTime.hashValue, message.content.hashValue]
        let placed = (content + [conversation.hashValue]).hashValue
        if let first = byContent[placed] { return .inConversation(first) }
        byContent[placed] = position
        let named = (content + [message.serverID.hashValue]).hashValue
        // In its own conversation the id would have made it the same message.
        if let first = byName[named] { return .inOther(first) }
        byName[named] = position
        return nil
    }
}

/// Finds where the policy of received messages turned: the same for all of one origin up to a message, the opposite
/// from there.
struct PolicyTurns {
    private struct Group: Hashable {
        let origin: Origin
        let kind: ConversationKind?
        let type: ContentType
        /// The name of the policy's field, and that of the rule that sets it.
        let field: String
        let rule: String
    }

    private struct Turn {
        let first: Bool
        var before = 0
        var since = 0
        var after = 0
        var position: Position?
        /// Whether one message alone differs from all before and after it.
        var isAlone: Bool { since == 1 && before + after >= PolicyTurns.alone }

        mutating func add(_ value: Bool, at position: Position) {
            if value != first {
                if self.position == nil { self.position = position }
                since += 1
            } else if self.position == nil {
                before += 1
            } else {
                after += 1
            }
        }
    }

    /// Fewer messages on either side prove nothing.
    private static let minimum = 5
    /// Fewer messages of one policy do not make another one of them odd.
    private static let alone = 500

    private var turns: [Group: Turn] = [:]
    private let account: UserID

    init(account: UserID) { self.account = account }

    mutating func examine(_ message: MessageReceived, _ recorded: RecordedEvent) {
        guard message.sender != account else { return }
        for (field, rule, value) in [
            ("countsUnread", "counts", message.policy.countsUnread),
            ("updatesLastMessage", "previews", message.policy.updatesLastMessage),
        ] {
            let group = Group(
                origin: recorded.source.origin, kind: recorded.source.conversation?.kind, type: message.content.type,
                field: field, rule: rule)
            turns[group, default: Turn(first: value)].add(value, at: recorded.position)
        }
    }

    /// In the order of the log.
    func findings() -> [Finding] {
        turns.compactMap { Self.finding($0.value, of: $0.key) }
            .ordered { ($0.position ?? .origin, $0.topic ?? "") < ($1.position ?? .origin, $1.topic ?? "") }
    }

    /// nil if nothing turned.
    private static func finding(_ turn: Turn, of group: Group) -> Finding? {
        guard let position = turn.position,
            turn.isAlone || turn.after == 0 && turn.before >= minimum && turn.since >= minimum
        else { return nil }
        let origin = Origin.names[group.origin] ?? group.origin.description
        let kind = group.kind.map { ", \($0)" } ?? ""
        let (before, since) = (NumberFormat.count(turn.before), NumberFormat.count(turn.since))
        let topic = "origin.\(origin).\(group.rule)=\(turn.first ? "yes" : "no")"
        return Finding(at: position, topic: topic) { _ in
            guard !turn.isAlone else {
                let others = NumberFormat.count(turn.before + turn.after)
                return
                    "\(origin)\(kind), \(group.type): \(group.field) is \(!turn.first) in this one, \(turn.first) in \(others)"
            }
            return "\(origin)\(kind), \(group.type): \(group.field) is \(!turn.first) in \(since) from there on, "
                + "\(turn.first) in all \(before) before"
        }
    }
}
