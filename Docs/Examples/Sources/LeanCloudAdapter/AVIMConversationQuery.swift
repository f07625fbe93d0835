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

    func whereKey(_ key: String, equalTo value: JSONValue) throws {
        switch key {
        case Self.kAVIMKeyName: conditions.append(.name(.equal(value)))
        case Self.kAVIMKeyCreator: conditions.append(.creator(.equal(value)))
        case Self.kAVIMKeyConversationId: conditions.append(.id(.equal(value)))
        case _ where key.hasPrefix("attr."): conditions.append(.attribute(String(key.dropFirst(5)), .equal(value)))
        default: throw AVIMError.unknownKey(key)
        }
    }

    /// At least one of them is a member.
    func whereKey(_ key: String, containedIn clientIds: [String]) throws {
        guard key == Self.kAVIMKeyMember else { throw AVIMError.unknownKey(key) }
        conditions.append(.containsAny(clientIds.map { UserID($0) }))
    }

    /// They are the members, and nobody else is.
    func whereKey(_ key: String, containsAllObjects clientIds: [String]) throws {
        guard key == Self.kAVIMKeyMember else { throw AVIMError.unknownKey(key) }
        conditions.append(.exactMembers(clientIds.map { UserID($0) }))
    }

    /// Brings what the service knows of this client's conversations into the store, and asks that.
    func findConversations() throws -> [AVIMConversation] {
        let store = try client.store()
        try store.record(
            client.server.conversations(of: client.clientId).map {
                .conversationSnapshot(try $0.fields(), members: $0.members.map { UserID($0) }, in: $0.key)
            })
        let query = ConversationQuery(.all(conditions))
        return try store.read { try $0.conversations(matching: query, limit: limit).conversations }
            .map { AVIMConversation($0.key, of: client) }
    }
}
