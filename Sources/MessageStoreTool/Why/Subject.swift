internal import ArgumentParser

/// A subject that `why` explains.
enum Subject {
    case badge
    case unread(ConversationKey)
    case message(MessageNames)
    case conversation(ConversationKey)
    case member(UserID, ConversationKey)
    case profile(UserID)

    /// The kinds as the command line names them.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case badge, unread, message, conversation, member, profile

        /// The arguments after the kind.
        var arguments: [String] {
            switch self {
            case .badge: []
            case .unread, .conversation: ["CONVERSATION"]
            case .message: ["MESSAGE"]
            case .member: ["CONVERSATION", "USER"]
            case .profile: ["USER"]
            }
        }
    }

    /// Finds what the arguments name.
    ///
    /// - Parameters:
    ///   - hint: The conversation of a message, if it is known.
    ///   - last: The last event to look at.
    ///   - former: Called with each name that is a former one.
    /// - Throws: ``ToolError`` where there is no such thing.
    init(
        _ kind: Kind, _ names: [String], in store: MessageStore, conversation hint: String?, through last: Position,
        former: (FormerName) -> Void
    ) throws {
        guard names.count == kind.arguments.count else {
            throw ToolError.usage("write `\(([kind.rawValue] + kind.arguments).joined(separator: " "))`")
        }
        func conversation(_ name: String) throws -> ConversationKey {
            if let key = try knownConversation(name, in: store) { return key }
            guard let found = try FormerName.find(name, in: store, \.conversation) else {
                return try findConversation(name, in: store)
            }
            former(found.name)
            return found.found
        }
        func user(_ name: String) throws -> UserID {
            if let user = try store.read({ try knownUser(name, $0) }) { return user }
            guard let found = try FormerName.find(name, in: store, \.user) else { return try findUser(name, in: store) }
            former(found.name)
            return found.found
        }
        switch kind {
        case .badge: self = .badge
        case .unread: self = .unread(try conversation(names[0]))
        case .message:
            self = .message(
                try MessageNames(names[0], in: store, conversation: try hint.map(conversation), through: last))
        case .conversation: self = .conversation(try conversation(names[0]))
        case .member: self = .member(try user(names[1]), try conversation(names[0]))
        case .profile: self = .profile(try user(names[0]))
        }
    }

    /// The conversation that it is about; nil if all count.
    var conversation: ConversationKey? {
        switch self {
        case .badge, .profile: nil
        case .unread(let key), .conversation(let key), .member(_, let key): key
        case .message(let names): names.conversation
        }
    }

    /// The types of events that are no messages.
    private static let others = Set(EventType.known.map(\.type)).subtracting(MessageNames.messages)

    /// The events that can change it.
    var filters: [EventFilter] {
        switch self {
        case .badge: [EventFilter(types: ProjectionID.unreadCounters.handledTypes)]
        case .unread: [EventFilter(types: ProjectionID.unreadCounters.handledTypes, conversation: conversation)]
        case .message:
            // Other messages change it only under a name of its own, by which they are added.
            [EventFilter(types: Self.others, conversation: conversation)]
        case .conversation:
            // Its shown name may be that of a person or a team.
            [
                EventFilter(conversation: conversation), EventFilter(types: ProjectionID.profiles.handledTypes),
                EventFilter(types: ProjectionID.teams.handledTypes),
                EventFilter(types: ProjectionID.contacts.handledTypes),
            ]
        case .member: [EventFilter(types: ProjectionID.members.handledTypes, conversation: conversation)]
        case .profile:
            [ProjectionID.profiles, .contacts].map { EventFilter(types: $0.handledTypes) }
        }
    }

    /// Events in addition to those of the filters.
    var positions: [Position] {
        guard case .message(let names) = self else { return [] }
        return names.locals.map { Position($0.rawValue) }
    }

    /// A session that folds what it takes to answer.
    func session(_ store: MessageStore) throws -> ReplaySession {
        let projections: Set<ProjectionID>? =
            switch self {
            case .badge, .unread: [.unreadCounters]
            case .message: [.unreadCounters, .timers]
            case .conversation: nil
            case .member: [.members]
            case .profile: [.profiles, .contacts]
            }
        return try store.replaySession(about: conversation, of: projections)
    }

    /// Passes the changes of its facts from the last to the first, as long as the body answers that it wants another
    /// one; answers whether these are all.
    func forEachChange(
        in session: ReplaySession, through last: Position, progress: MessageStore.ReplayProgress,
        _ body: (ValueChange<[Fact]>) throws -> Bool
    ) throws -> Bool {
        try session.forEachChange(
            of: facts, at: filters, and: positions.filter { $0 <= last }, through: last, progress: progress, body)
    }
}

extension Subject {
    /// The views' facts about it.
    func facts(_ views: borrowing Views) throws -> [Fact] {
        switch self {
        case .badge:
            let totals = try views.unreadTotals()
            return [Fact("badge", totals.badge), Fact("mentions", totals.mentions)]
        case .unread(let key): return try Self.facts(of: views.unreadBasis(of: key))
        case .message(let names): return try Self.facts(of: names, views)
        case .conversation(let key):
            return try Self.facts(of: views.conversation(key)) + [Fact("timer", views.timer(of: key)?.words)]
        case .member(let user, let key):
            let member = try views.members(in: key, after: nil, limit: 1) { $0 == user }.elements.first
            return [
                Fact("member", member != nil), Fact("role", .init(member.map { Int($0.role) })),
                Fact("nickname", member?.nickname), Fact("joined", member.map { String(describing: $0.joinKind) }),
                Fact("invited by", member?.invitedBy), Fact("muted until", member?.mutedUntil),
                Fact("blocked", try views.isBlocked(user, in: key)),
            ]
        case .profile(let user):
            let (cached, contact) = (try views.profile(user), try views.contact(user))
            return [
                Fact("known", !cached.isPlaceholder), Fact("name", cached.info.name),
                Fact("user id", cached.info.userID), Fact("avatar", cached.info.avatarURL),
                Fact("out of date", cached.isStale), Fact("last fetch failed", cached.hasFailed),
                Fact("contact", contact != nil), Fact("remark", contact?.remark),
                Fact("blocked", try views.isBlocked(user)),
            ]
        }
    }

    private static func facts(of basis: UnreadBasis) -> [Fact] {
        [
            Fact("unread", basis.count.messages), Fact("mentions", basis.count.mentions),
            Fact("marked unread", basis.count.isMarkedUnread), Fact("muted", basis.level == .nothing),
            Fact("mentions only", basis.level == .mentionsOnly),
            Fact("read up to", basis.count.readUpTo),
            Fact("server's count", basis.count.report.map { "\($0.count) up to \($0.upTo.words)" }),
        ]
    }

    private static func facts(of names: MessageNames, _ views: borrowing Views) throws -> [Fact] {
        // The one that is shown, else the first: the others are its repeats and echoes.
        let standings = try names.locals.ordered { $0.rawValue < $1.rawValue }.compactMap { local in
            try views.standing(of: local).map { (local: local, standing: $0) }
        }
        guard let shown = standings.first(where: { $0.standing.absence == nil }) ?? standings.first else {
            return [Fact("arrived", false)]
        }
        let standing = shown.standing
        let content = standing.isRedacted ? "removed" : standing.contentPosition.map { "that of event \($0)" }
        // A server that gives one id to two messages makes the store take them for one.
        let others = standings.filter { $0.local != shown.local && $0.standing.absence?.isRepeat != true }
            .map { "message \($0.local): \($0.standing.absence?.words ?? "shown")" }
        return [
            Fact("arrived", true), Fact("local id", shown.local.description),
            Fact("same server id as", others.isEmpty ? nil : others.joined(separator: ", ")),
            Fact("shown", standing.absence == nil), Fact("not shown because", standing.absence?.words),
            Fact("status", String(describing: standing.status)),
            Fact("failure code", .init(standing.status == .failed ? Int(standing.failureCode) : nil)),
            Fact("server id", standing.serverID?.rawValue), Fact("server time", standing.serverTime),
            Fact("content", content ?? "its own"), Fact("recalled", standing.isRecalled),
            Fact("counts as unread", standing.uncounted == nil),
            Fact("does not count because", standing.uncounted),
            Fact("delivered", standing.deliveredTime), Fact("read by others", standing.readTime),
            Fact("disappears", try views.message(shown.local)?.expires),
        ]
    }

    private static func facts(of conversation: Conversation?) -> [Fact] {
        guard let conversation else { return [Fact("known", false)] }
        return [
            Fact("known", true), Fact("kind", String(describing: conversation.kind)),
            Fact("activity", conversation.activity), Fact("last message", conversation.lastMessage?.id.description),
            Fact("name", conversation.name), Fact("shown as", conversation.displayName),
            Fact("peer", conversation.peer), Fact("draft", conversation.draftWords),
            Fact("muted until", conversation.mutedUntil),
            Fact("tags", conversation.tags.isEmpty ? nil : conversation.tags.joined(separator: " ")),
            Fact("members", conversation.memberCount), Fact("unread", conversation.unread.messages),
        ] + ConversationBoolean.all.map { Fact($0.words, $0.value(conversation)) }
    }
}

extension Conversation {
    /// The size of the draft and its time, by which one that took the place of another differs from it.
    fileprivate var draftWords: String? {
        draft.map { "\(NumberFormat.exactBytes($0.utf8.count)) of \(draftTime ?? .unknown)" }
    }
}

extension Fact.Value {
    fileprivate init(_ number: Int?) { self = number.map { .number($0) } ?? .absent }
}

extension MessageTimer {
    fileprivate var words: String {
        "\(NumberFormat.duration(.seconds(seconds))) from \(runsFromReading ? "reading" : "sending")"
    }
}

extension MessageStanding.Absence {
    fileprivate var isRepeat: Bool { if case .repeats = self { true } else { false } }

    /// Why it is not shown.
    var words: String {
        switch self {
        case .isDeleted: "deleted"
        case .repeats(let original): "a repeat of message \(original)"
        case .isHiddenByFilter: "hidden by the message filter"
        case .isForOthers: "meant for others"
        case .isForgotten: "of a chat room that was left since"
        case .isBelowFloor: "its history was cleared"
        }
    }
}

extension MessageStanding {
    /// Why it does not count as unread; nil if it does.
    var uncounted: String? {
        if isOutgoing { return UnreadCandidate.Exclusion.isOutgoing.rawValue }
        if let absence { return "not shown: \(absence.words)" }
        if isRecalled { return UnreadCandidate.Exclusion.isRecalled.rawValue }
        if !canCount { return UnreadCandidate.Exclusion.isUncounted.rawValue }
        if flags.contains(.read) { return UnreadCandidate.Exclusion.isReadAlone.rawValue }
        return isBelowMarker ? "read: the read marker is at or above it" : nil
    }
}

extension Subject {
    /// Notes to show first: whether the store knows the conversation.
    func notes(in store: MessageStore, _ names: Names?) throws -> [String] {
        guard let conversation, try store.read({ try $0.conversation(conversation) == nil }) else { return [] }
        let like = try store.read { try $0.knownConversation(like: conversation) }.map {
            "; it has \(names.label(of: $0))"
        }
        return [
            "The store has events about \(names.label(of: conversation)) and does not know such a conversation\(like ?? "")."
        ]
    }

    /// Since when a conversation is out of date; nothing where it is not, or for other subjects.
    func staleness(_ facts: [Fact], _ notes: EventNotes, upTo last: Position) throws -> [String] {
        guard case .conversation(let key) = self, facts.contains(Fact("out of date", true)) else { return [] }
        let (changes, _) = try notes.session.lastChanges(
            of: { try $0.conversation(key)?.isOutdated }, at: EventFilter(types: Self.others, conversation: key),
            through: last, limit: 1)
        guard let first = try changes.first.flatMap({ try notes.store.event(at: $0.position) }) else { return [] }
        return [
            "It is out of date since \(first.event.payload.typeName) at \(first.position): what tells of single members, or "
                + "that something is new, may not be all; a ConversationSnapshotReceived has everything."
        ]
    }

    /// The last events that name the member, and are none of those that changed it; of other subjects, those that lost
    /// against another by their times.
    func eventsWithoutEffect(
        _ notes: EventNotes, from first: Position, to last: Position, except effective: Set<Position>, limit: Int
    ) throws -> [RecordedEvent] {
        let types: Set<EventType>
        switch self {
        case .badge, .profile: return []
        case .member: types = ProjectionID.members.handledTypes ?? []
        case .unread: types = [.conversationMuted, .conversationMarkedUnread]
        case .message: types = [.messageModified]
        case .conversation:
            types = .with(.mergedByTime).subtracting([.memberInfoChanged, .messagePinned, .messageStarred])
        }
        guard first <= last else { return [] }
        let reports = try notes.session.reports(through: last)
        let filter = EventFilter(types: types, conversation: conversation)
        var found: [RecordedEvent] = []
        try notes.store.forEachEvent(from: first, to: last, order: .descending, where: filter) { event in
            let isWanted =
                switch self {
                case .member(let user, _):
                    event.event.namedMembers(notes.store.account)?.contains(user) == true
                        && !effective.contains(event.position)
                case .message(let names) where !names.isNamed(by: event, HostEvents([])): false
                default: event.loss(in: reports[event.position]) != nil
                }
            if isWanted { found.append(event) }
            return found.count < limit
        }
        return found.reversed()
    }

    /// The receipt up to a place that gave an own message the status that the facts say; nil if none did.
    func marker(_ facts: [Fact], _ notes: EventNotes, upTo last: Position) throws -> RecordedEvent? {
        guard case .message(let names) = self else { return nil }
        let status = [MessageStatus.read, .delivered].first { facts.contains(Fact("status", String(describing: $0))) }
        return try status.flatMap {
            try Receipts(of: names, in: notes.store, notes.session, upTo: last)?.marker(of: $0)
        }
    }

    /// The rule's words for the receipt up to a place that gave a message its status.
    func markerWords(_ facts: [Fact], _ notes: EventNotes, upTo last: Position, _ names: Names?) throws -> [String] {
        guard let marker = try marker(facts, notes, upTo: last) else { return [] }
        let status = marker.event.receipt?.isRead == true ? "read" : "delivered"
        return ["It is \(status) by \(marker.markerWords(names))."]
    }
}

extension Views {
    /// A conversation that is known and whose id is equal without case; nil if there is none.
    borrowing func knownConversation(like key: ConversationKey) throws -> ConversationKey? {
        var known: [ConversationKey] = []
        for other in try everyConversation() where other.caselessID == key.caselessID {
            if try conversation(other) != nil { known.append(other) }
        }
        return key.likeliest(of: known)
    }
}
