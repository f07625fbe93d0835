/// Finds events that the server made before others of the same matter which were recorded first: the last one recorded
/// holds, so they may have undone what is newer.
struct LateEvents {
    /// A matter that an event reports, and a later event replaces.
    private struct Matter: Hashable {
        enum Kind: Hashable { case presence, list, anyPresence, fields, profile, team, other(EventType) }

        let kind: Kind
        var conversation: ConversationKey?
        var user: UserID?
    }

    private struct Told {
        let time: Timestamp
        let position: Position
    }

    private var newest = RecentValues<Told>(capacity: 1 << 16)
    private let account: UserID

    init(account: UserID) { self.account = account }

    /// Takes an event; answers with what was recorded before it and is newer, or nil.
    mutating func examine(_ event: Event, at position: Position) -> String? {
        guard event.type.has(.replacesEarlier), let time = event.serverTime, time != .latest,
            time != .unknown, !Examination.isInSeconds(time), !event.isMergedByTime
        else { return nil }
        let (told, compared) = matters(of: event)
        let newer = compared.compactMap { newest[$0.hashValue] }.max { $0.time < $1.time }
        for hash in told.map(\.hashValue) where (newest[hash]?.time ?? .unknown) < time {
            newest[hash] = Told(time: time, position: position)
        }
        guard let newer, time < newer.time else { return nil }
        return "of \(time), recorded after \(newer.position) of \(newer.time)"
    }

    /// The matters that an event reports, and those than whose last report it must not be older.
    private func matters(of event: Event) -> (told: [Matter], compared: [Matter]) {
        let conversation = event.conversation
        func matter(_ kind: Matter.Kind) -> Matter { Matter(kind: kind, conversation: conversation) }
        switch event.payload {
        case is MembersAdded, is MembersRemoved, is SelfInvited, is SelfKicked:
            let members = (event.namedMembers(account) ?? []).map {
                Matter(kind: .presence, conversation: conversation, user: $0)
            }
            return (members + [matter(.anyPresence)], members + [matter(.list)])
        case let snapshot as ConversationSnapshotReceived:
            guard snapshot.members != nil else { return ([matter(.fields)], [matter(.fields)]) }
            return ([matter(.fields), matter(.list)], [matter(.fields), matter(.list), matter(.anyPresence)])
        case is ConversationCreated, is ConversationUpdated: return ([matter(.fields)], [matter(.fields)])
        case is MemberInfoChanged, is MemberMuted, is MemberBlocked, is ConversationMuted, is any ConversationFlagEvent:
            let user = event.namedMembers(account)?.first
            let changed = [Matter(kind: .other(event.type), conversation: conversation, user: user)]
            return (changed, changed)
        case let fetched as ProfilesFetched:
            let profiles = fetched.profiles.map { Matter(kind: .profile, user: $0.id) }
            return (profiles, profiles)
        case let fetched as TeamInfoFetched:
            let teams = fetched.teams.map { Matter(kind: .team, conversation: $0.id) }
            return (teams, teams)
        default: return ([], [])
        }
    }
}

extension Event {
    /// Whether the event says when its choice was made, so that it undoes nothing newer.
    fileprivate var isMergedByTime: Bool {
        type.has(.mergedByTime) && payload.fieldTexts.contains { $0.name == "time" && $0.text != nil }
    }

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

    /// The value of a key by its `hashValue`; nil where there is none, or none any more.
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

    private struct Content: Hashable {
        let sender: UserID
        let time: Timestamp
        let content: MessageContent
    }

    private struct Placed: Hashable {
        let content: Int
        let conversation: ConversationKey?
    }

    private struct Named: Hashable {
        let content: Int
        let id: ServerMessageID
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
        let content = Content(sender: message.sender, time: message.sentTime, content: message.content).hashValue
        let placed = Placed(content: content, conversation: conversation).hashValue
        if let first = byContent[placed] { return .inConversation(first) }
        byContent[placed] = position
        let named = Named(content: content, id: message.serverID).hashValue
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
        var position: Position?
        var isMixed = false

        mutating func add(_ value: Bool, at position: Position) {
            if value != first {
                if self.position == nil { self.position = position }
                since += 1
            } else if self.position == nil {
                before += 1
            } else {
                isMixed = true
            }
        }
    }

    /// Fewer messages on either side prove nothing.
    private static let minimum = 5

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

    /// nil where nothing turned.
    private static func finding(_ turn: Turn, of group: Group) -> Finding? {
        guard let position = turn.position, !turn.isMixed, turn.before >= minimum, turn.since >= minimum else {
            return nil
        }
        let origin = Origin.names[group.origin] ?? group.origin.description
        let kind = group.kind.map { ", \($0)" } ?? ""
        let (before, since) = (NumberFormat.count(turn.before), NumberFormat.count(turn.since))
        let topic = "origin.\(origin).\(group.rule)=\(turn.first ? "yes" : "no")"
        return Finding(at: position, topic: topic) { _ in
            "\(origin)\(kind), \(group.type): \(group.field) is \(!turn.first) in \(since) from there on, "
                + "\(turn.first) in all \(before) before"
        }
    }
}
