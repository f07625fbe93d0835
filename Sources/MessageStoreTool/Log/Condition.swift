/// A condition on the views of one store, such as `unread(team) > shown(team)`.
struct Condition {
    /// The description of the language in the help of commands.
    static let guide = """
        A CONDITION compares badge (what the app's badge shows), unread(CONVERSATION), shown(CONVERSATION) (the unread \
        messages that its timeline shows) with numbers or with each other, by == != < <= > >=, and status(MESSAGE) by == \
        or != with \(ConditionValue.statuses.joined(separator: ", ")), where none means a message that is not shown. These \
        are true or false: member(CONVERSATION, USER); exists(CONVERSATION or MESSAGE), whether the conversation is known \
        and not deleted, or the message is shown; modified(MESSAGE); and \
        \(ConversationBoolean.all.map(\.name).joined(separator: ", ")) of a CONVERSATION. readUpTo(CONVERSATION), the time \
        of the read marker, is compared with times such as 2026-11-20T18:00:00Z; name(USER) and text(MESSAGE) by == or != \
        with 'texts in quotes'; each of the three may be none. Parts are joined by and, or, not, && || ! and parentheses. \
        A CONVERSATION is its id, kind:id or kind:id#channel; a MESSAGE an ID as `messages` lists it, or the server's, \
        after CONVERSATION and a comma where several conversations have it. Names with spaces, commas or parentheses are \
        written in quotes.
        """

    /// The terms as they are written, each once.
    let terms: [String]
    let node: ConditionNode
    let questions: [(function: ConditionFunction, target: ConditionFunction.Target)]

    /// Reads a condition and finds the conversations and messages that it names, whenever they were there.
    ///
    /// - Parameters:
    ///   - text: The condition.
    ///   - store: The store.
    ///   - last: The last event to look at for messages; nil for all.
    /// - Throws: ``ConditionError``; `StoreError`.
    init(_ text: String, in store: MessageStore, through last: Position? = nil) throws {
        var parser = ConditionParser(text)
        try self.init(text, try parser.condition(), parser, store, last)
    }

    /// Reads a single term, whose value is asked for.
    init(value text: String, in store: MessageStore, through last: Position? = nil) throws {
        var parser = ConditionParser(text)
        try self.init(text, try parser.value(), parser, store, last)
    }

    private init(
        _ text: String, _ node: ConditionNode, _ parser: ConditionParser, _ store: MessageStore, _ last: Position?
    ) throws {
        self.node = node
        terms = parser.terms.map(\.text)
        questions = try parser.terms.map { term in
            do {
                return (term.function, try Self.target(term, store, last))
            } catch let error as UnknownName {
                throw ConditionError(text: text, offset: error.name.offset, message: error.message)
            }
        }
    }

    init(
        _ node: ConditionNode, _ questions: [(function: ConditionFunction, target: ConditionFunction.Target)],
        terms: [String]
    ) {
        (self.node, self.questions, self.terms) = (node, questions, terms)
    }

    /// The projections that answer the terms; nil if all do.
    var projections: Set<ProjectionID>? {
        questions.reduce(Set<ProjectionID>?.some([])) { all, question in
            all.flatMap { all in question.function.projections.map(all.union) }
        }
    }

    /// The values of the terms in some views.
    func values(_ views: borrowing Views) throws -> [ConditionValue] {
        var values: [ConditionValue] = []
        values.reserveCapacity(questions.count)
        for (function, target) in questions { values.append(try function.answer(target, views)) }
        return values
    }

    /// Whether the condition is true where the terms have some values.
    func holds(_ values: [ConditionValue]) -> Bool { node.value(values) == .truth(true) }

    /// A value of the type of the first term.
    ///
    /// - Throws: ``ToolError`` if the text is none.
    func value(from text: String) throws -> ConditionValue {
        let kind = questions.first?.function.kind ?? .text
        let value: ConditionValue? =
            switch kind {
            case .number: Int(text).map { .number($0) }
            case .truth: Bool(text).map { .truth($0) }
            case .status: ConditionValue.statuses.contains(text) ? .status(text) : nil
            case .time: text == "none" ? .absent : Timestamp(iso8601: text).map { .time($0) }
            case .text: text == "none" ? .absent : .text(text)
            }
        guard let value else { throw ToolError.usage("\(text) is not \(kind.rawValue), as \(terms[0]) is") }
        return value
    }

    /// The receipts up to a place that gave messages of the condition the status that they have after an event.
    func markers(_ values: [ConditionValue], in store: MessageStore, at position: Position) throws -> [RecordedEvent] {
        try zip(questions, values).compactMap { question, value in
            guard question.function.kind == .status, case .message(let ids, _) = question.target, let id = ids.first,
                let status = [MessageStatus.read, .delivered].first(where: { value == .status("\($0)") })
            else { return nil }
            return try Receipts.marker(of: id, in: store, at: position, status)
        }
    }
}

// MARK: Names

extension Condition {
    /// A name that means nothing in the store.
    private struct UnknownName: Error {
        let name: ConditionTerm.Argument
        let message: String
    }

    /// The target that a term's names have in the store.
    private static func target(
        _ term: ConditionTerm, _ store: MessageStore, _ end: Position?
    ) throws -> ConditionFunction.Target {
        guard let first = term.arguments.first, let last = term.arguments.last else { return .nothing }
        let isPair = term.arguments.count == 2
        switch term.function.subject {
        case .nothing: return .nothing
        case .table:
            guard try store.read({ $0.snapshot.tableNames.contains(first.text) }) else {
                throw UnknownName(name: first, message: "there is no table \(first.text); `rows` lists them")
            }
            return .table(first.text)
        case .conversation: return .conversation(try conversation(first, store))
        case .user: return .user(try user(first, store))
        case .member: return .member(try user(last, store), try conversation(first, store))
        case .message, .conversationOrMessage:
            let isEither = term.function.subject == .conversationOrMessage && !isPair
            if isEither, let key = try knownConversation(first.text, in: store) { return .conversation(key) }
            let place = isPair ? try conversation(first, store) : nil
            if let ids = try message(last, in: place, store, end) { return .message(ids, in: place) }
            let problem = isEither ? "the store has no conversation or message" : "no event is about such a message"
            throw UnknownName(name: last, message: "\(problem) \(last.text)")
        }
    }

    private static func user(_ name: ConditionTerm.Argument, _ store: MessageStore) throws -> UserID {
        try locating(name) { try findUser(name.text, in: store) }
    }

    private static func conversation(
        _ name: ConditionTerm.Argument, _ store: MessageStore
    ) throws -> ConversationKey {
        try locating(name) { try findConversation(name.text, in: store) }
    }

    /// Adds the place of a name to what is wrong with it.
    private static func locating<Result>(
        _ name: ConditionTerm.Argument, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as ToolError {
            throw UnknownName(name: name, message: error.description)
        }
    }

    /// The ids of a message in the store, oldest first; nil if no event is about it.
    private static func message(
        _ name: ConditionTerm.Argument, in conversation: ConversationKey?, _ store: MessageStore, _ end: Position?
    ) throws -> [LocalMessageID]? {
        let names = try locating(name) {
            try MessageNames.known(name.text, in: store, conversation: conversation, through: end)
        }
        guard let names else { return nil }
        guard names.conversation != nil else {
            let message = "several conversations have a message \(name.text); name one before it"
            throw UnknownName(name: name, message: message)
        }
        return names.locals.ordered()
    }
}

/// The problem with a condition, and its character.
struct ConditionError: Error, Equatable {
    /// The whole condition.
    let text: String
    /// The character at which it goes wrong, counted from 0; the count of all where something is missing at the end.
    let offset: Int
    /// The problem: the expected or the missing part.
    let message: String

    /// The problem, the condition, and a line with a mark under the character; safe for a terminal.
    var lines: [String] {
        let width = String(text.prefix(offset)).terminalSafe.displayWidth
        return [
            "in the condition, character \(offset + 1): \(message)".terminalSafe, "  \(text.terminalSafe)",
            "  \(String(repeating: " ", count: width))^",
        ]
    }
}

/// A part of a condition, of which all types fit.
indirect enum ConditionNode: Equatable {
    case value(ConditionValue)
    /// A term, by its number in the condition.
    case term(Int)
    case comparison(ConditionNode, ConditionOperator, ConditionNode)
    case not(ConditionNode)
    /// All of them; a chain is one node, so that long ones are not deep.
    case all([ConditionNode])
    /// Any of them.
    case any([ConditionNode])

    /// The value, where the terms have these.
    func value(_ terms: [ConditionValue]) -> ConditionValue {
        switch self {
        case .value(let value): value
        case .term(let number): terms[number]
        case .comparison(let first, let comparison, let second):
            .truth(comparison.holds(first.value(terms), second.value(terms)))
        case .not(let node): .truth(node.value(terms) == .truth(false))
        case .all(let nodes): .truth(nodes.allSatisfy { $0.value(terms) == .truth(true) })
        case .any(let nodes): .truth(nodes.contains { $0.value(terms) == .truth(true) })
        }
    }
}

/// The value of a term or of a part of a condition.
enum ConditionValue: Hashable, Encodable {
    case number(Int)
    /// How far a message has come.
    case status(String)
    case truth(Bool)
    case time(Timestamp)
    /// Words; where they are content they are shown only when that is asked for.
    case text(String, isContent: Bool = false)

    enum Kind: String {
        case number = "a number"
        case status = "a status"
        case truth = "true or false"
        case time = "a time"
        case text = "a text"
    }

    /// The value that represents a missing one.
    static let absent = ConditionValue.status("none")

    /// The words for a status: those of `messages`, `recalled`, and `none` for a message that is not shown.
    static let statuses = ["received", "sending", "failed", "sent", "delivered", "read", "recalled", "none"]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .status(let status): try container.encode(status)
        case .truth(let truth): try container.encode(truth)
        case .time(let time): try container.encode(time)
        case .text: try container.encode(words(hasContent: encoder.userInfo[.omitsEventContent] as? Bool != true))
        }
    }

    /// The value as it is shown, of content the size where the words are not wanted.
    func words(hasContent: Bool) -> String {
        switch self {
        case .number(let number): String(number)
        case .status(let status): status
        case .truth(let truth): String(truth)
        case .time(let time): time.description
        case .text(let text, let isContent): isContent && !hasContent ? text.sizeInWords : text
        }
    }
}

/// How two values are compared.
enum ConditionOperator: String, CaseIterable {
    // Operators of two characters come first: the parser takes the first that fits.
    case equal = "=="
    case notEqual = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case greater = ">"

    /// Whether only numbers and times have it.
    var isOrder: Bool { self != .equal && self != .notEqual }

    func holds(_ first: ConditionValue, _ second: ConditionValue) -> Bool {
        switch (first, second) {
        case (.number(let first), .number(let second)): holds(first, second)
        case (.time(let first), .time(let second)): holds(first, second)
        case (.text(let first, _), .text(let second, _)): holds(first, second)
        default: self == .equal ? first == second : self == .notEqual && first != second
        }
    }

    func holds<Value: Comparable>(_ first: Value, _ second: Value) -> Bool {
        switch self {
        case .equal: first == second
        case .notEqual: first != second
        case .atMost: first <= second
        case .atLeast: first >= second
        case .less: first < second
        case .greater: first > second
        }
    }
}
