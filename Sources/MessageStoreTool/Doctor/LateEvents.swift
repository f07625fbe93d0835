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
