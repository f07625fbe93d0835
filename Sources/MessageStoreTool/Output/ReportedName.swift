/// A name of somebody or something, as an event reports it.
struct ReportedName {
    /// The owner of a name.
    enum Owner: Hashable {
        case user(UserID)
        case remark(of: UserID)
        case nickname(of: UserID, ConversationKey)
        case conversation(ConversationKey)

        /// The user whose profile has it; nil for other names.
        var user: UserID? { if case .user(let user) = self { user } else { nil } }

        /// The conversation of which it is the name; nil for a user's.
        var conversation: ConversationKey? { if case .conversation(let key) = self { key } else { nil } }

        func label(_ names: Names?) -> String {
            switch self {
            case .user(let user): names.label(of: user)
            case .remark(let user): "\(names.label(of: user))'s remark"
            case .nickname(let user, _): "\(names.label(of: user))'s nickname"
            case .conversation(let key): names.label(of: key)
            }
        }
    }

    let name: String
    let owner: Owner

    fileprivate static let types = Set(
        [
            ProfilesFetched.self, TeamInfoFetched.self, MemberInfoChanged.self, ContactsReceived.self,
            ConversationCreated.self, ConversationUpdated.self, ConversationSnapshotReceived.self,
        ].map { (type: any EventPayload.Type) in EventType(type) })
}

extension Event {
    /// The names that it reports.
    var reportedNames: [ReportedName] {
        func names(_ reported: [(String?, ReportedName.Owner?)]) -> [ReportedName] {
            reported.compactMap { name, owner in
                name.flatMap { name in owner.map { ReportedName(name: name, owner: $0) } }
            }
        }
        let conversation = conversation.map { ReportedName.Owner.conversation($0) }
        switch payload {
        case let fetched as ProfilesFetched: return names(fetched.profiles.map { ($0.name, .user($0.id)) })
        case let fetched as TeamInfoFetched: return names(fetched.teams.map { ($0.name, .conversation($0.id)) })
        case let info as MemberInfoChanged where info.nickname?.isEmpty == false:
            return names([(info.nickname, self.conversation.map { .nickname(of: info.member, $0) })])
        case let received as ContactsReceived: return names(received.contacts.map { ($0.remark, .remark(of: $0.id)) })
        case let created as ConversationCreated: return names([(created.fields.name, conversation)])
        case let updated as ConversationUpdated: return names([(updated.fields.name, conversation)])
        case let reported as ConversationSnapshotReceived: return names([(reported.fields.name, conversation)])
        default: return []
        }
    }
}

/// A name that an argument has and that nothing has any more.
struct FormerName {
    let name: String
    let owner: ReportedName.Owner
    /// The last event that reported it.
    let position: Position

    func words(_ names: Names?) -> String { "\(name) is a former name of \(owner.label(names)), of event \(position)." }

    /// Finds the only one that has had a name; nil if nobody had it, or several had.
    ///
    /// - Parameter owned: The user or conversation of an owner; nil for one of the other kind.
    static func find<Found: Hashable>(
        _ argument: String, in store: MessageStore, _ owned: (ReportedName.Owner) -> Found?
    ) throws -> (found: Found, name: FormerName)? {
        var former: [Found: FormerName] = [:]
        try store.forEachEvent(where: EventFilter(types: ReportedName.types), onDamage: { _ in }) { event in
            for reported in event.event.reportedNames where reported.name == argument {
                guard let found = owned(reported.owner) else { continue }
                former[found] = FormerName(name: argument, owner: reported.owner, position: event.position)
            }
            return former.count < 2
        }
        return former.count == 1 ? former.first.map { ($0.key, $0.value) } : nil
    }
}
