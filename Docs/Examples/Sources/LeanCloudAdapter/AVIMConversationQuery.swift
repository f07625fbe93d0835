import MessageStore

/// A query over conversations: what the service knows of them is recorded, and the store answers.
final class AVIMConversationQuery {
    static let kAVIMKeyMember = "m"
    static let kAVIMKeyName = "name"
    static let kAVIMKeyCreator = "c"
    static let kAVIMKeyConversationId = "objectId"

    /// The key of an attribute.
    static func AVIMAttr(_ name: String) -> String { "attr.\(name)" }

    var limit = 10
    private let client: AVIMClient
    private var conditions: [ConversationCondition] = []

    init(_ client: AVIMClient) { self.client = client }

    func whereKey(_ key: String, equalTo value: JSONValue) throws { try add(key, .equal(value)) }
    func whereKey(_ key: String, notEqualTo value: JSONValue) throws { try add(key, .notEqual(value)) }
    func whereKey(_ key: String, lessThan value: JSONValue) throws { try add(key, .less(value)) }
    func whereKey(_ key: String, lessThanOrEqualTo value: JSONValue) throws { try add(key, .lessOrEqual(value)) }
    func whereKey(_ key: String, greaterThan value: JSONValue) throws { try add(key, .greater(value)) }
    func whereKey(_ key: String, greaterThanOrEqualTo value: JSONValue) throws { try add(key, .greaterOrEqual(value)) }
    func whereKey(_ key: String, hasPrefix prefix: String) throws { try add(key, .hasPrefix(prefix)) }
    func whereKey(_ key: String, hasSuffix suffix: String) throws { try add(key, .hasSuffix(suffix)) }
    func whereKey(_ key: String, containsString part: String) throws { try add(key, .contains(.string(part))) }
    func whereKeyExists(_ key: String) throws { try add(key, .exists) }
    func whereKeyDoesNotExist(_ key: String) throws { try add(key, .isMissing) }
    func whereKey(_ key: String, notContainedIn values: [JSONValue]) throws { try add(key, .noneOf(values)) }

    /// The value is one of these; of members: at least one of them is a member.
    func whereKey(_ key: String, containedIn values: [JSONValue]) throws {
        guard key == Self.kAVIMKeyMember else { return try add(key, .oneOf(values)) }
        conditions.append(.containsAny(users(values)))
    }

    /// All of these are in the list; of members: they are the members, and nobody else is.
    func whereKey(_ key: String, containsAllObjects values: [JSONValue]) throws {
        guard key == Self.kAVIMKeyMember else { return try values.forEach { try add(key, .contains($0)) } }
        conditions.append(.exactMembers(users(values)))
    }

    private func users(_ values: [JSONValue]) -> [UserID] { values.compactMap(\.stringValue).map { UserID($0) } }

    private func add(_ key: String, _ condition: ValueCondition) throws {
        let property: ConversationProperty =
            switch key {
            case Self.kAVIMKeyName: .name
            case Self.kAVIMKeyCreator: .creator
            case Self.kAVIMKeyConversationId: .id
            case _ where key.hasPrefix("attr."): .attribute(String(key.dropFirst(5)))
            default: throw AVIMError.unknownKey(key)
            }
        conditions.append(.property(property, condition))
    }

    /// Brings what the service knows of this client's conversations into the store, and asks that.
    func findConversations() throws -> [AVIMConversation] {
        let store = try client.store()
        try store.record(
            client.server.conversations(of: client.clientId).map {
                .conversationSnapshot(try $0.fields(), members: $0.members.map { UserID($0) }, in: $0.key)
            })
        let query = ConversationQuery(.all(conditions))
        return try store.read { try $0.conversations(matching: query, limit: limit).elements }
            .map { AVIMConversation($0.key, of: client) }
    }
}
