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
    /// - Throws: ``ToolError`` where there is no such thing.
    init(
        _ kind: Kind, _ names: [String], in store: MessageStore, conversation hint: String?, through last: Position
    ) throws {
        guard names.count == kind.arguments.count else {
            throw ToolError.usage("write `\(([kind.rawValue] + kind.arguments).joined(separator: " "))`")
        }
        func conversation(_ name: String) throws -> ConversationKey {
            try findConversation(name, in: store)
        }
        switch kind {
        case .badge: self = .badge
        case .unread: self = .unread(try conversation(names[0]))
        case .message:
            self = .message(
                try MessageNames(names[0], in: store, conversation: try hint.map(conversation), through: last))
        case .conversation: self = .conversation(try conversation(names[0]))
        case .member: self = .member(try findUser(names[1], in: store), try conversation(names[0]))
        case .profile: self = .profile(try findUser(names[0], in: store))
        }
    }

    /// The conversation that it is about; nil where all count.
    var conversation: ConversationKey? {
        switch self {
        case .badge, .profile: nil
        case .unread(let key), .conversation(let key), .member(_, let key): key
        case .message(let names): names.conversation
        }
    }

    /// The events that can change it.
    var filters: [EventFilter] {
        switch self {
        case .badge: [EventFilter(types: ProjectionID.unreadCounters.handledTypes)]
        case .unread: [EventFilter(types: ProjectionID.unreadCounters.handledTypes, conversation: conversation)]
        case .message:
            // Other messages change it only under a name of its own, by which they are added.
            [
                EventFilter(
                    types: Set(EventType.known.map(\.type)).subtracting(MessageNames.messages),
                    conversation: conversation)
            ]
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
            case .badge, .unread, .message: [.unreadCounters]
            case .conversation: nil
            case .member: [.members]
            case .profile: [.profiles, .contacts]
            }
        return try store.replaySession(about: conversation, of: projections)
    }
}
