internal import MessageStore

/// A condition on the views of one store, such as `unread(team) > shown(team)`.
struct Condition {
    /// A term whose names were found.
    private enum Question {
        case badge
        case unread(ConversationKey)
        case shown(ConversationKey)
        case status([LocalMessageID])
        case member(ConversationKey, UserID)
        case hasConversation(ConversationKey)
        case hasMessage([LocalMessageID])
        case muted(ConversationKey)
        case pinned(ConversationKey)
        case readUpTo(ConversationKey)
        case name(UserID)
        case text([LocalMessageID])
        case modified([LocalMessageID])
    }

    /// What the help of commands says of the language.
    static let guide = """
        A CONDITION compares badge (what the app's badge shows), unread(CONVERSATION), shown(CONVERSATION) (those of \
        the unread messages that its timeline shows) with numbers or with each other, by == != < <= > >=, and \
        status(MESSAGE) by == or != with \(ConditionValue.statuses.joined(separator: ", ")), where none stands for a \
        message that is not shown. member(CONVERSATION, USER) and exists(CONVERSATION or MESSAGE) are true or false: \
        whether the conversation is known and not deleted, whether the message is shown; so are muted(CONVERSATION), \
        pinned(CONVERSATION) and modified(MESSAGE). readUpTo(CONVERSATION), the read marker's time, is compared with times \
        such as 2026-11-20T18:00:00Z; name(USER) and text(MESSAGE) by == or != with 'texts in quotes'; each of the three may \
        be none. Parts are joined by and, or, \
        not, && || ! and parentheses. A CONVERSATION is its id, kind:id or kind:id#channel; a MESSAGE an ID as \
        `messages` lists it, or the server's, after CONVERSATION and a comma where several conversations have it. \
        Names with spaces, commas or parentheses stand in quotes.
        """

    /// The terms as they are written, each once.
    let terms: [String]
    private let node: ConditionNode
    private let questions: [Question]

    /// Reads a condition and finds the conversations and messages that it names, whenever they were there.
    ///
    /// - Parameters:
    ///   - text: The condition.
    ///   - store: The store.
    ///   - last: The last event to look at for messages; nil for all.
    /// - Throws: ``ConditionError``; `StoreError`.
    init(_ text: String, in store: MessageStore, through last: Position? = nil) throws {
        var parser = ConditionParser(text)
        node = try parser.condition()
        terms = parser.terms.map(\.text)
        questions = try parser.terms.map { term in
            do {
                return try Self.question(term, store, last)
            } catch let error as UnknownName {
                throw ConditionError(text: text, offset: error.name.offset, message: error.message)
            }
        }
    }

    /// The projections that answer the terms; nil where it takes all.
    var projections: Set<ProjectionID>? {
        var projections: Set<ProjectionID> = []
        for question in questions {
            switch question {
            case .badge, .unread, .shown, .readUpTo: projections.insert(.unreadCounters)
            case .status, .hasMessage, .text, .modified: projections.insert(.timeline)
            case .member: projections.insert(.members)
            case .name: projections.insert(.profiles)
            case .hasConversation, .muted, .pinned: return nil
            }
        }
        return projections
    }

    /// The values of the terms in some views.
    func values(_ views: borrowing Views) throws -> [ConditionValue] {
        var values: [ConditionValue] = []
        values.reserveCapacity(questions.count)
        for question in questions { values.append(try Self.answer(question, views)) }
        return values
    }

    /// Whether the condition is true where the terms have some values.
    func holds(_ values: [ConditionValue]) -> Bool { node.value(values) == .truth(true) }

    private static func answer(_ question: Question, _ views: borrowing Views) throws -> ConditionValue {
        switch question {
        case .badge: return .number(try views.unreadTotals().badge)
        case .unread(let key): return .number(try views.unread(of: key).messages)
        case .shown(let key): return .number(try views.shownUnread(in: key))
        case .member(let key, let user): return .truth(try views.isMember(user, of: key))
        case .hasConversation(let key): return .truth(try views.conversation(key).map { !$0.isHidden } ?? false)
        case .hasMessage(let ids): return .truth(try message(ids, views) != nil)
        case .status(let ids):
            guard let message = try message(ids, views) else { return .status("none") }
            return .status(message.isRecalled ? "recalled" : message.status.description)
        case .muted(let key): return .truth(try views.conversation(key)?.isMuted ?? false)
        case .pinned(let key): return .truth(try views.conversation(key)?.isPinned ?? false)
        case .readUpTo(let key): return try views.unread(of: key).readUpTo.map { .time($0.time) } ?? .status("none")
        case .name(let user): return try views.profile(user).profile.name.map { .text($0) } ?? .status("none")
        case .modified(let ids): return .truth(try message(ids, views)?.isModified ?? false)
        case .text(let ids):
            guard let message = try message(ids, views) else { return .status("none") }
            return .text(message.content.text ?? "", isContent: true)
        }
    }

    /// The markers that gave messages of the condition the status that they have after an event.
    func markers(_ values: [ConditionValue], in store: MessageStore, at position: Position) throws
        -> [Receipts.Receipt]
    {
        try zip(questions, values).compactMap { question, value in
            guard case .status(let ids) = question, let id = ids.first,
                let status = [MessageStatus.read, .delivered].first(where: { value == .status("\($0)") })
            else { return nil }
            return try Receipts.marker(of: id, in: store, at: position, status)
        }
    }

    private static func message(_ ids: [LocalMessageID], _ views: borrowing Views) throws -> Message? {
        for id in ids {
            if let message = try views.message(id) { return message }
        }
        return nil
    }
}

// MARK: Names

extension Condition {
    /// A name that means nothing in the store.
    private struct UnknownName: Error {
        let name: ConditionTerm.Argument
        let message: String
    }

    private static func question(
        _ term: ConditionTerm, _ store: MessageStore, _ end: Position?
    ) throws -> Question {
        guard let first = term.arguments.first, let last = term.arguments.last else { return .badge }
        let isPair = term.arguments.count == 2
        switch term.function {
        case .badge: return .badge
        case .unread: return .unread(try conversation(first, store))
        case .shown: return .shown(try conversation(first, store))
        case .member:
            return .member(try conversation(first, store), try telling(of: last) { try findUser(last.text, in: store) })
        case .muted: return .muted(try conversation(first, store))
        case .pinned: return .pinned(try conversation(first, store))
        case .readUpTo: return .readUpTo(try conversation(first, store))
        case .name: return .name(try telling(of: first) { try findUser(first.text, in: store) })
        case .status, .text, .modified:
            let ids = try message(last, in: isPair ? conversation(first, store) : nil, store, end)
            return term.function == .status ? .status(ids) : term.function == .text ? .text(ids) : .modified(ids)
        case .exists:
            if isPair { return .hasMessage(try message(last, in: conversation(first, store), store, end)) }
            if let key = try knownConversation(first.text, in: store) { return .hasConversation(key) }
            if let ids = try foundMessage(first, in: nil, store, end) { return .hasMessage(ids) }
            throw UnknownName(name: first, message: "the store has no conversation or message \(first.text)")
        }
    }

    private static func conversation(
        _ name: ConditionTerm.Argument, _ store: MessageStore
    ) throws -> ConversationKey {
        try telling(of: name) { try findConversation(name.text, in: store) }
    }

    /// Tells of what is wrong with a name where the name stands.
    private static func telling<Result>(
        of name: ConditionTerm.Argument, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as ToolError {
            throw UnknownName(name: name, message: error.description)
        }
    }

    private static func message(
        _ name: ConditionTerm.Argument, in conversation: ConversationKey?, _ store: MessageStore, _ end: Position?
    ) throws -> [LocalMessageID] {
        guard let ids = try foundMessage(name, in: conversation, store, end) else {
            throw UnknownName(name: name, message: "no event is about such a message \(name.text)")
        }
        return ids
    }

    /// The ids of a message in the store, oldest first; nil where no event is about it.
    private static func foundMessage(
        _ name: ConditionTerm.Argument, in conversation: ConversationKey?, _ store: MessageStore, _ end: Position?
    ) throws -> [LocalMessageID]? {
        let names = try telling(of: name) {
            try MessageNames.known(name.text, in: store, conversation: conversation, through: end)
        }
        guard let names else { return nil }
        guard names.conversation != nil else {
            let message = "several conversations have a message \(name.text); name one before it"
            throw UnknownName(name: name, message: message)
        }
        return names.locals.sorted()
    }
}
