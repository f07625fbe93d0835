internal import MessageStoreSearch

/// Events in the words of `log --text`.
struct DebugEvents: Encodable {
    /// The most that one request may ask for.
    static let maximumCount = 200

    struct Row: Encodable {
        let position: Position
        let recordedTime: Timestamp?
        /// Why the record cannot be read.
        let damage: String?
        /// Names and values in their order, as pairs; a third text names the kind of ids that the values are.
        let columns: [[String]]
    }

    let events: [Row]
    /// The names of conversations and users at the end of the log, by the ids that the events have.
    let names: [String: String]

    init(at positions: [ClosedRange<Position>], in store: MessageStore) throws {
        let hosts = HostEvents(try store.eventDescriptions())
        var rows: [Row] = []
        var names = DebugNames()
        for range in positions {
            try store.forEachEvent(
                from: range.lowerBound, to: range.upperBound, onDamage: { rows.append(Row(damage: $0)) }
            ) { event in
                rows.append(Row(event, hosts))
                names.note(event, hosts)
                return true
            }
        }
        events = rows
        // If the views cannot be read, ids are shown.
        self.names = (try? store.read { try names.names($0) }) ?? [:]
    }

    /// The positions of a request, such as `1-100,205`.
    static func positions(of request: DebugRequest) throws -> [ClosedRange<Position>] {
        let ranges = try (request["positions"] ?? "").split(separator: ",").map { part in
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last, first > 0
            else { throw ToolError.usage("positions are such as 1-100,205") }
            return Position(first)...Position(last)
        }
        let count = ranges.reduce(UInt64(0)) { sum, range in
            let count = range.upperBound.rawValue - range.lowerBound.rawValue
            return min(sum, UInt64(maximumCount)) + min(count, UInt64(maximumCount)) + 1
        }
        guard (1...UInt64(maximumCount)).contains(count) else {
            throw ToolError.usage("positions takes 1 to \(maximumCount) of them")
        }
        return ranges
    }
}

extension DebugEvents.Row {
    /// Characters of a value that are shown.
    private static let shownCharacters = 4000

    init(_ event: RecordedEvent, _ hosts: HostEvents) {
        position = event.position
        recordedTime = event.clockTime
        damage = nil
        var kinds = ["conversation": "conversation"]
        for field in hosts.fieldTexts(of: event.event) where [.user, .message].contains(field.type.kind) {
            kinds[field.name] = field.type.kind.rawValue
        }
        columns = EventColumns(event, hosts, hasContent: true).columns.compactMap { column in
            column.text.map {
                [column.name, String($0.prefix(Self.shownCharacters))] + (kinds[column.name].map { [$0] } ?? [])
            }
        }
    }

    init(damage error: StoreError) {
        position = error.position ?? .origin
        recordedTime = nil
        damage = error.words
        columns = []
    }
}

/// The names of the conversations and users that events name by ids.
struct DebugNames {
    /// The conversations and users to name; for each user, the conversation of the first event that names it.
    private var conversations: Set<ConversationKey> = []
    private var users: [UserID: ConversationKey] = [:]

    mutating func note(_ event: RecordedEvent, _ hosts: HostEvents) {
        let key = event.event.conversation
        if let key { conversations.insert(key) }
        for field in hosts.fieldTexts(of: event.event) where field.type.kind == .user {
            for id in field.text?.split(separator: " ") ?? [] where users[UserID(String(id))] == nil {
                users[UserID(String(id))] = key ?? .single(String(id))
            }
        }
    }

    /// The names by ids, of things that have one.
    func names(_ views: borrowing Views) throws -> [String: String] {
        var names: [String: String] = [:]
        for key in conversations {
            if let name = try views.conversation(key)?.displayName { names[key.description] = name }
        }
        for (user, key) in users {
            let name = try views.displayName(of: user, in: key)
            if name != user.rawValue { names[user.rawValue] = name }
        }
        return names
    }
}

/// A search of the log, a part at a time.
struct DebugSearch: Sendable {
    let first: Position
    let last: Position?
    let type: String?
    /// A conversation's id, kind:id or kind:id#channel.
    let conversation: String?
    let message: String?
    let text: String?
    /// Words that a message shows.
    let words: String?

    /// The message that is named, and where.
    struct Message: Hashable {
        let name: String
        let conversation: ConversationKey?
    }

    /// A part of the found positions, and the one to go on from; nil at the end of the log.
    static func found(_ positions: [Position], next: Position?) -> JSONObject {
        ["positions": positions, "next": next]
    }

    /// Events looked at between two looks at the clock.
    private static let piece: UInt64 = 128

    init(_ request: DebugRequest) throws {
        first = max(try request.position("from") ?? Position(1), Position(1))
        last = try request.position("to")
        type = request["type"]
        (conversation, message, text) = (request["conversation"], request["message"], request["text"])
        words = request["words"]
    }

    /// The conversation that is named; nil if none is.
    func conversationKey(in store: MessageStore) throws -> ConversationKey? {
        try conversation.map { text in try ConversationKey(text) ?? store.read { try findConversation(text, $0) } }
    }

    /// The message whose events are wanted; nil if they are not one message's.
    func messageSought(in store: MessageStore) throws -> Message? {
        try message.map { Message(name: $0, conversation: try conversationKey(in: store)) }
    }

    /// The messages from the first position on that show words; the newest thousand.
    private func messages(showing words: String, through end: Position, in store: MessageStore) throws -> [Position] {
        let query = SearchQuery(words)
        do { try query.check() } catch let error as StoreError { throw ToolError.usage(error.message) }
        let end = PageCursor(below: Position(end.rawValue + 1))
        let page = try store.search(query, after: end, limit: 1000, scanning: .max)
        return page.elements.map(\.position).filter { $0 >= first }.ordered()
    }

    /// Looks at events for a moment.
    func run(in store: MessageStore, names: MessageNames?) throws -> JSONObject {
        let selection = try EventSelection(
            types: type.map { [$0] } ?? [], conversation: conversationKey(in: store), names: names, text: text,
            in: store)
        let hosts = HostEvents(try store.eventDescriptions())
        let end = min(last ?? Position(.max), try store.lastPosition())
        if let words, !words.isEmpty {
            let shown = try messages(showing: words, through: end, in: store).filter { position in
                guard let event = try store.events(from: position, to: position, where: selection.filter).first else {
                    return false
                }
                return selection.search.matches(event, hosts)
            }
            return Self.found(shown, next: nil)
        }
        let start = ContinuousClock.now
        var positions: [Position] = []
        var next = first
        while next <= end {
            guard start.duration(to: .now) < DebugSession.patience else { return Self.found(positions, next: next) }
            let pieceEnd = min(end, Position(next.rawValue + Self.piece - 1))
            try store.forEachEvent(from: next, to: pieceEnd, where: selection.filter, onDamage: { _ in }) { event in
                if selection.search.matches(event, hosts) { positions.append(event.position) }
                return true
            }
            next = Position(pieceEnd.rawValue + 1)
        }
        return Self.found(positions, next: nil)
    }
}

/// Asks how a value came to be, as `why` does, or which events decide it, as `suspects` does.
struct DebugWhy: Hashable, Sendable {
    /// The events that are shown.
    static let limit = 20

    let kind: Subject.Kind
    let names: [String]
    let position: Position
    var asksSuspects = false

    /// - Parameter check: Called now and then; throwing ends the search.
    func answer(in store: MessageStore, _ check: () throws -> Void) throws -> JSONObject {
        if asksSuspects { return try suspects(in: store, check) }
        var former: [FormerName] = []
        let subject = try Subject(kind, names, in: store, conversation: nil, through: position) { former.append($0) }
        let names = Names(store)
        return try Explanation(
            subject, notes: former.map { $0.words(names) }, in: store, at: position, limit: Self.limit, names: names
        ) { _, _ in try check() }.object
    }

    /// The value that stands for the kind in a condition.
    private var value: String {
        let function =
            switch kind {
            case .badge: "badge"
            case .unread: "unread"
            case .message: "status"
            case .conversation: "activity"
            case .member: "member"
            case .profile: "name"
            }
        let arguments = names.map { "\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }
        return arguments.isEmpty ? function : "\(function)(\(arguments.joined(separator: ", ")))"
    }

    private func suspects(in store: MessageStore, _ check: () throws -> Void) throws -> JSONObject {
        let search = try SuspectSearch(
            Condition(value: value, in: store, through: position), in: store, through: position, expected: nil,
            since: nil, Names(store)
        ) { _, _ in try check() }
        let found = search.suspects.prefix(Self.limit).map { suspect in
            ["event": suspect.event, "without": suspect.value, "oddities": suspect.oddities.map(\.words)] as JSONObject
        }
        return [
            "value": value, "is": search.value, "candidates": search.candidates, "tried": search.tried,
            "suspects": found,
        ]
    }
}

extension DebugWhy {
    init(_ request: DebugRequest, asksSuspects: Bool = false) throws {
        guard let kind = request["kind"].flatMap(Subject.Kind.init(rawValue:)) else {
            throw ToolError.usage("kind takes one of \(Subject.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard let position = try request.position("at") else { throw ToolError.usage("at is needed") }
        let names = [request["name"], request["user"]].compactMap { $0 }
        (self.kind, self.names, self.position, self.asksSuspects) = (kind, names, position, asksSuspects)
    }
}
