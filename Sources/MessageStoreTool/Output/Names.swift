/// The names of conversations and users, as text for people shows them: `linux (56d6…88bc)`.
///
/// Every form that it gives is one that arguments take.
final class Names {
    private let stores: [MessageStore]
    private var conversations: [ConversationKey: String] = [:]
    private var users: [UserID: String] = [:]

    /// - Parameter stores: The stores in which names are looked up; the first that has a name decides.
    init(_ stores: MessageStore...) { self.stores = stores }

    /// Looks up all conversations, so that their names are known from inside a read as well.
    func loadConversations() {
        try? stores[0].read { views in
            for key in try views.everyConversation() { conversations[key] = try views.label(of: key) }
        }
    }

    /// The name of a conversation with its id; from inside a read of the store the key alone.
    func label(of key: ConversationKey) -> String {
        if let label = conversations[key] { return label }
        guard let label = label(key.plainWords, { try $0.label(of: key) }) else { return key.plainWords }
        conversations[key] = label
        return label
    }

    /// The name of a user with the id; from inside a read of the store the id alone.
    func label(of user: UserID) -> String {
        if let label = users[user] { return label }
        guard let label = label(user.rawValue, { try $0.label(of: user) }) else { return user.rawValue }
        users[user] = label
        return label
    }

    /// The label in the first store that has another than the one of no name; nil if none can be read.
    private func label(_ plain: String, _ look: (borrowing Views) throws -> String) -> String? {
        let labels = stores.compactMap { try? $0.read(look) }
        return labels.first { $0 != plain } ?? labels.first
    }

    /// A name with its id; nil if there is none, or it is the id.
    fileprivate static func label(_ name: String?, _ id: String) -> String? {
        guard let name, !name.isEmpty, name != id else { return nil }
        return "\(name) (\(shortened(id)))"
    }

    /// A long id without its middle.
    fileprivate static func shortened(_ id: String) -> String { id.count > 12 ? "\(id.prefix(4))…\(id.suffix(4))" : id }
}

extension Names? {
    /// The name of a conversation with its id; the key alone if no names are to be shown.
    func label(of key: ConversationKey) -> String { self?.label(of: key) ?? key.description }

    /// The name of a user with the id; the id alone if no names are to be shown.
    func label(of user: UserID) -> String { self?.label(of: user) ?? user.rawValue }
}

extension ConversationKey {
    /// Kind, id and channel, as ``description`` has them but without its escapes.
    var plainWords: String { "\(kind):\(plainID)" }

    fileprivate var plainID: String { channel.map { "\(id)#\($0)" } ?? id }
}

extension Views {
    /// The name of a conversation with its id, or the key if it has none.
    borrowing func label(of key: ConversationKey) throws -> String {
        Names.label(try conversation(key)?.displayName, key.plainID) ?? key.plainWords
    }

    /// The name of a user with the id, or the id if there is none.
    borrowing func label(of user: UserID) throws -> String {
        Names.label(try profile(user).info.name, user.rawValue) ?? user.rawValue
    }

    /// The conversation of a name, a shortened id or both together; nil if there is none.
    ///
    /// - Throws: ``ToolError`` if there are several.
    borrowing func conversation(named text: String) throws -> ConversationKey? {
        try Named.only(of: namedConversations(), text, "conversations")
    }

    /// The user of a name, a shortened id or both together; nil if there is none.
    ///
    /// - Throws: ``ToolError`` if there are several.
    borrowing func user(named text: String) throws -> UserID? { try Named.only(of: namedUsers(), text, "users") }

    fileprivate borrowing func namedConversations() throws -> [Named<ConversationKey>] {
        var all: [Named<ConversationKey>] = []
        for key in try everyConversation() {
            let (name, label, id) = (try conversation(key)?.displayName, try label(of: key), key.plainID)
            let forms = name == nil ? [] : [name, id, key.plainWords, Names.shortened(id), label]
            all.append(Named(id: key, words: key.description, label: label, forms: forms))
        }
        return all
    }

    fileprivate borrowing func namedUsers() throws -> [Named<UserID>] {
        var all: [Named<UserID>] = []
        var last: PageCursor?
        repeat {
            let page = try profiles(after: last, limit: Self.pageLimits.upperBound)
            all += page.elements.map { cached in
                let (id, name) = (cached.info.id, cached.info.name)
                let label = Names.label(name, id.rawValue)
                return Named(
                    id: id, words: id.rawValue, label: label ?? id.rawValue,
                    forms: [name, Names.shortened(id.rawValue), label])
            }
            last = page.next
        } while last != nil
        return all
    }
}

/// A conversation or a user, with its label and the names that arguments may use for it.
private struct Named<ID> {
    let id: ID
    let words: String
    let label: String
    /// The names and short ids that arguments may have.
    let forms: [String?]

    /// The only one that has a text among its forms, or nil.
    ///
    /// - Throws: ``ToolError`` if there are several.
    static func only(of all: [Named], _ text: String, _ what: String) throws -> ID? {
        let found = all.filter { $0.forms.contains(text) }
        guard found.count > 1 else { return found.first?.id }
        let listed = found.prefix(10).map(\.words).joined(separator: ", ") + (found.count > 10 ? ", …" : "")
        throw ToolError.usage("\(found.count) \(what) are shown as \(text): \(listed)")
    }

    /// The things whose names or ids contain a text, five at most, as the end of a refusal; empty if there are none.
    static func likenesses(of text: String, _ all: [Named]) -> String {
        let like = all.map(\.label).filter { $0.lowercased().contains(text.lowercased()) }.prefix(5)
        return like.isEmpty ? "" : "; like it: \(like.joined(separator: ", "))"
    }
}

/// Finds the conversation that an argument names, in the views or else in the log: it may have been deleted, or be one
/// that has only counts.
func findConversation(_ argument: String, in store: MessageStore) throws -> ConversationKey {
    try knownConversation(argument, in: store) ?? store.read { try findConversation(argument, $0) }
}

/// The same; nil if there is none.
func knownConversation(_ argument: String, in store: MessageStore) throws -> ConversationKey? {
    let keys = conversationKeys(argument)
    if let key = try store.read({ views in try keys.first { try views.conversation($0) != nil } }) { return key }
    return try keys.first { try !store.events(where: EventFilter(conversation: $0), limit: 1).isEmpty }
        ?? store.read { try $0.conversation(named: argument) }
}

/// Finds the conversation that an argument names: by its id alone, as `kind:id` or `kind:id#channel`, or by a name that
/// no other has.
///
/// - Throws: ``ToolError``, which lists the conversations of the name if there are several, or one that is like it.
func findConversation(_ argument: String, _ views: borrowing Views) throws -> ConversationKey {
    let keys = conversationKeys(argument)
    for key in keys where try views.conversation(key) != nil { return key }
    if let key = try views.conversation(named: argument) { return key }
    for key in keys {
        guard let like = try views.knownConversation(like: key) else { continue }
        throw ToolError.usage("the store has no conversation \(argument); it has \(like)")
    }
    let like = Named.likenesses(of: argument, try views.namedConversations())
    throw ToolError.usage("the store has no conversation \(argument)\(like)")
}

/// The conversations that an argument can name, the likeliest first.
func conversationKeys(_ argument: String) -> [ConversationKey] {
    let kinds: [ConversationKind] = [.group, .single, .system, .chatRoom, .unspecified]
    return kinds.map { ConversationKey($0, argument) } + [ConversationKey(argument)].compactMap { $0 }
}

/// Finds the user that an argument names: by the id, or by a name that no other user has.
///
/// - Throws: ``ToolError`` if no event names such a user, or if several users have the name.
func findUser(_ argument: String, _ views: borrowing Views) throws -> UserID {
    if let user = try knownUser(argument, views) { return user }
    throw ToolError.usage("the store has no user \(argument)\(Named.likenesses(of: argument, try views.namedUsers()))")
}

/// The same; nil if there is none.
func knownUser(_ argument: String, _ views: borrowing Views) throws -> UserID? {
    let id = UserID(argument)
    return try views.isKnown(id) ? id : views.user(named: argument)
}

/// The same in a store.
func findUser(_ argument: String, in store: MessageStore) throws -> UserID {
    try store.read { try findUser(argument, $0) }
}

/// Hosts' events in words, as the log describes them: the tool does not have the code of any host.
struct HostEvents {
    private let descriptions: [EventDescription]

    init(_ descriptions: [EventDescription]) {
        self.descriptions = descriptions
    }

    /// The name that a host gave to a type, or nil.
    func name(of type: EventType) -> String? {
        descriptions.first { $0.type == type }?.name
    }

    /// The name of an event's type; the number in hexadecimal if it has none.
    func typeName(of event: RecordedEvent) -> String { name(of: event.source.type) ?? event.source.typeName }

    /// The type of a host's name, or nil.
    func type(named name: String) -> EventType? {
        descriptions.first { $0.name == name }?.type
    }

    /// The names of all types, the library's and the hosts'.
    var typeNames: [String] { EventType.known.map(\.name) + descriptions.compactMap(\.name) }

    /// The names of a type's fields; nil if there is no such type.
    func fieldNames(ofType name: String) -> [String]? {
        if let type = descriptions.first(where: { $0.name == name }) { return type.fields.map(\.name) }
        return EventType.known.first { $0.name == name }?.type.fields.map(\.name)
    }

    /// The fields of an event: as its payload has them, or by the description of its type and version.
    func fieldTexts(of event: Event) -> [FieldText] {
        guard let unknown = event.payload as? UnknownEvent,
            let description = descriptions.first(where: {
                $0.type == unknown.type && $0.version == unknown.schemaVersion
            })
        else { return event.payload.fieldTexts }
        return description.fieldTexts(of: unknown, serverTime: event.serverTime)
    }
}

extension Timestamp {
    /// How far it is from a recording, and on which side; nil for less than a minute, or if one is unknown.
    func distance(from recorded: Timestamp) -> (words: String, isLater: Bool)? {
        let (distance, isOverflow) = milliseconds.subtractingReportingOverflow(recorded.milliseconds)
        guard !isOverflow, distance.magnitude >= 60_000, self != .unknown, recorded != .unknown else { return nil }
        return (NumberFormat.duration(.milliseconds(distance.magnitude)), distance > 0)
    }

    /// The time, and how far it is from the recording if that is a minute or more:
    /// `2026-11-08T20:15:01.234Z (4 d 2 h before it was recorded)`.
    func words(recorded: Timestamp) -> String { description + lag(recorded: recorded) }

    /// The same without the time, with a space in front; empty if both are near or one is unknown.
    func lag(recorded: Timestamp) -> String {
        distance(from: recorded).map { " (\($0.words) \($0.isLater ? "after" : "before") it was recorded)" } ?? ""
    }
}
