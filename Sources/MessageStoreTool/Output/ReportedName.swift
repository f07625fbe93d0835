/// A name of somebody or something, as an event reports it.
struct ReportedName {
    /// The owner of a name.
    enum Owner: Hashable {
        case user(UserID)
        case remark(of: UserID)
        case nickname(of: UserID, ConversationKey)
        case conversation(ConversationKey)

        /// The user; nil for a conversation.
        var user: UserID? {
            switch self {
            case .user(let user), .remark(let user), .nickname(let user, _): user
            case .conversation: nil
            }
        }

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

/// Finds the owner of a name, or of a former one if nothing has it now.
///
/// - Parameters:
///   - owned: The user or conversation that is looked for; nil if an owner is none.
///   - find: Looks among the names of now; its error is thrown if nobody had the name, or several had.
///   - note: Called with a sentence if the name is a former one.
func findNow<Found: Hashable>(
    orFormerly argument: String, in store: MessageStore, _ owned: (ReportedName.Owner) -> Found?,
    note: (String) -> Void, _ find: () throws -> Found
) throws -> Found {
    do { return try find() } catch let error as ToolError {
        var former: [Found: (owner: ReportedName.Owner, last: Position)] = [:]
        try store.forEachEvent(where: EventFilter(types: ReportedName.types), onDamage: { _ in }) { event in
            for reported in event.event.reportedNames where reported.name == argument {
                if let found = owned(reported.owner) { former[found] = (reported.owner, event.position) }
            }
            return former.count < 2
        }
        guard former.count == 1, let (found, name) = former.first else { throw error }
        note("\(argument) is a former name of \(name.owner.label(Names(store))), of event \(name.last).")
        return found
    }
}
