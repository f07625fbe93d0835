extension Subject {
    /// The views' facts about it.
    func facts(_ views: borrowing Views) throws -> [Fact] {
        switch self {
        case .badge:
            let totals = try views.unreadTotals()
            return [Fact("badge", totals.badge), Fact("mentions", totals.mentions)]
        case .unread(let key): return try Self.facts(of: views.unreadBasis(of: key))
        case .message(let names): return try Self.facts(of: names, views)
        case .conversation(let key): return try Self.facts(of: views.conversation(key))
        case .member(let user, let key):
            let member = try views.members(in: key).first { $0.id == user }
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
        ]
    }

    private static func facts(of conversation: Conversation?) -> [Fact] {
        guard let conversation else { return [Fact("known", false)] }
        return [
            Fact("known", true), Fact("kind", String(describing: conversation.kind)),
            Fact("activity", conversation.activity), Fact("last message", conversation.lastMessage?.id.description),
            Fact("name", conversation.name), Fact("shown as", conversation.displayName),
            Fact("peer", conversation.peer), Fact("draft", conversation.draft != nil),
            Fact("muted until", conversation.mutedUntil),
            Fact("tags", conversation.tags.isEmpty ? nil : conversation.tags.joined(separator: " ")),
            Fact("members", conversation.memberCount), Fact("unread", conversation.unread.messages),
        ] + ConversationBoolean.all.map { Fact($0.words, $0.value(conversation)) }
    }
}

extension Fact.Value {
    fileprivate init(_ number: Int?) { self = number.map { .number($0) } ?? .absent }
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
    /// Why it does not count as unread; nil where it does.
    var uncounted: String? {
        if isOutgoing { return UnreadCandidate.Exclusion.isOutgoing.rawValue }
        if let absence { return "not shown: \(absence.words)" }
        if isRecalled { return UnreadCandidate.Exclusion.isRecalled.rawValue }
        if !canCount { return UnreadCandidate.Exclusion.isUncounted.rawValue }
        if flags.contains(.read) { return UnreadCandidate.Exclusion.isReadAlone.rawValue }
        return isBelowMarker ? "read: the read marker is at or above it" : nil
    }
}
