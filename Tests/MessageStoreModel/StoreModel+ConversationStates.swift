internal import MessageStore
internal import MessageStoreLog

extension StoreModel {
    /// When each thing was last chosen: the latest time holds, what has none is chosen when it is recorded.
    struct Choices: Sendable {
        private var times: [String: Int64] = [:]

        /// Whether the choice takes effect. What is told of more than a day ahead counts as of a day ahead.
        @discardableResult
        mutating func choose(
            _ name: String, at time: Timestamp?, _ recorded: Moment, below all: String? = nil, holdsTie: Bool = false
        ) -> Bool {
            guard let time else {
                times[name] = recorded.clock.milliseconds
                return true
            }
            let told = min(time.milliseconds, recorded.ofChoice.milliseconds + 24 * 60 * 60 * 1000)
            if let all, let deleted = times[all], told < deleted { return false }
            if let known = times[name] {
                guard told > known || told == known && holdsTie else { return false }
            }
            times[name] = told
            return true
        }
    }

    /// What a conversation knows beside its messages, fields and members.
    struct ConversationStates: Sendable {
        var tags: Set<String> = []
        var draftTime: Timestamp?
        var mutes: [UserID: Timestamp] = [:]
        var blocked: Set<UserID> = []
        /// Whether the account is known not to be a member.
        var excludesAccount = false
        var room = ChatRoomState.unknown
        var roomEntries: [String: String] = [:]
    }

    /// Comes before membership changes, since it has to know who was a member.
    mutating func applyConversationStates(_ event: Event, _ key: ConversationKey) {
        if let body = event.payload as? ChatRoomLeft, body.purges {
            read(upTo: nil, in: key)
            forgetMessages(of: key)
        }
        let (account, clock) = (account, clock)
        change(key) { entry in
            switch event.payload {
            case is ConversationDeleted: entry.states.draftTime = nil
            case is ConversationInvalidated:
                entry.isKnown = true
                entry.isOutdated = true
            case let body as ConversationTagged:
                entry.isKnown = true
                for tag in body.removed where !body.added.contains(tag) {
                    if entry.choices.choose("tag \(tag)", at: body.time, clock) { entry.states.tags.remove(tag) }
                }
                for tag in body.added
                where entry.choices.choose("tag \(tag)", at: body.time, clock, holdsTie: true) {
                    entry.states.tags.insert(tag)
                }
            case let body as ChatRoomLeft where body.purges:
                entry.isInList = true
                entry.stretches = Stretches()
                entry.states.roomEntries = [:]
            default: break
            }
            entry.applyMemberStates(event.payload, account: account)
            entry.states.applyChatRoom(event.payload)
        }
    }

    /// A chat room that was left shows what the server delivers again, and what waits for it.
    private mutating func forgetMessages(of room: ConversationKey) {
        let newest = newestReported(in: room) ?? Order(lowEnd: MessageOrder(time: .unknown))
        change(room) { $0.leftUpTo.raise(to: newest) }
        for entry in messages.values where entry.conversation == room && (entry.isGone || !entry.isUnacknowledged) {
            messages[entry.local]?.isForgotten = true
        }
    }

    mutating func applyTeamEvent(_ body: any EventPayload) {
        switch body {
        case let body as TeamInfoFetched:
            for team in body.teams {
                name(team.id)
                teams[team.id] = Cached(team)
            }
        case let body as TeamInfoInvalidated:
            for id in body.ids ?? [] { name(id) }
            for id in body.ids ?? Array(teams.keys) {
                teams[id] = teams[id].map { Cached($0.info, isStale: true) }
            }
        default: applyContactEvent(body)
        }
    }
}

extension StoreModel.ConversationEntry {
    /// Mutes end with membership, blocks do not.
    fileprivate mutating func applyMemberStates(_ body: any EventPayload, account: UserID) {
        switch body {
        case let body as ConversationCreated: come(body.members, account)
        case let body as ConversationSnapshotReceived:
            guard let listed = body.members else { return }
            go(members.keys.filter { !listed.contains($0) }, account)
            states.excludesAccount = !listed.contains(account)
        case let body as MembersAdded: come(body.members, account)
        case let body as MembersRemoved: go(body.members, account)
        case is SelfInvited: come([account], account)
        case is SelfKicked: go([account], account)
        case let body as MemberMuted: states.mutes[body.member] = body.until
        case let body as MemberBlocked:
            if body.isBlocked { states.blocked.insert(body.member) } else { states.blocked.remove(body.member) }
        default: break
        }
    }

    private mutating func come(_ users: [UserID], _ account: UserID) {
        if users.contains(account) { states.excludesAccount = false }
    }

    private mutating func go(_ users: [UserID], _ account: UserID) {
        if users.contains(account) { states.excludesAccount = true }
        for user in users { states.mutes[user] = nil }
    }
}

extension StoreModel.ConversationStates {
    fileprivate mutating func applyChatRoom(_ body: any EventPayload) {
        switch body {
        case let body as ChatRoomJoined:
            room = ChatRoomState(
                isJoined: true, joinedTime: body.time, leftTime: room.leftTime, leaveReason: room.leaveReason)
        case let body as ChatRoomLeft:
            room = ChatRoomState(joinedTime: room.joinedTime, leftTime: body.time, leaveReason: body.reason)
        case let body as ChatRoomEntriesChanged:
            for key in body.removed { roomEntries[key] = nil }
            roomEntries.merge(body.values) { _, new in new }
        default: break
        }
    }
}
