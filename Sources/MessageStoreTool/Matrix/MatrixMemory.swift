internal import Foundation
internal import MessageStore

/// The facts of earlier responses that a later one depends on: taken from the store if it has them, so that they are
/// known across imports.
final class MatrixMemory {
    private let store: MessageStore
    private var keys: [String: ConversationKey] = [:]
    private var kinds: [ConversationKey: ConversationKind] = [:]
    private var attributes: [ConversationKey: [String: String]] = [:]
    /// The tags of every conversation; nil until they are asked for, which costs a scan of the log.
    private var tags: [ConversationKey: Set<String>]?

    /// The rooms that the account data calls direct.
    var directRooms: Set<String> = []
    /// The reactions reported in this import, by room and event id.
    var reactions: [[String]: ReactionAdded] = [:]
    /// The bans reported in this import: room and user.
    var bans: Set<[String]> = []

    init(store: MessageStore) {
        self.store = store
    }

    /// Whether a room has a conversation.
    func knows(_ room: String) throws -> Bool { try keys[room] != nil || recordedKey(of: room) != nil }

    /// The conversation of a room: its key is that of what the room was first.
    func key(of room: String, isDirect: Bool) throws -> ConversationKey {
        if let key = keys[room] { return key }
        let key = try recordedKey(of: room) ?? (isDirect || directRooms.contains(room) ? .single(room) : .group(room))
        keys[room] = key
        return key
    }

    /// The kind of a conversation where it is another one than it was.
    func change(kind: ConversationKind, of key: ConversationKey) throws -> ConversationKind? {
        let before = try kinds[key] ?? store.read { try $0.conversation(key)?.kind } ?? key.kind
        kinds[key] = kind
        return before == kind ? nil : kind
    }

    private func recordedKey(of room: String) throws -> ConversationKey? {
        try store.read { views in
            try [ConversationKey.group(room), .single(room)].first { try views.conversation($0) != nil }
        }
    }

    /// The place of a message of an earlier response; nil where the store has none.
    func place(of event: String, in key: ConversationKey) throws -> MessageOrder? {
        try store.read { views in
            try views.message(.server(ServerMessageID(event)), in: key).map { message in
                MessageOrder(time: message.time, id: message.serverID)
            }
        }
    }

    /// Who sent a message of an earlier response; nil where the store does not have it.
    func sender(of event: String, in key: ConversationKey) throws -> UserID? {
        try store.read { try $0.message(.server(ServerMessageID(event)), in: key)?.sender }
    }

    /// Changes a conversation's attributes, nil removing one, and answers all of them.
    func change(_ changes: [String: String?], of key: ConversationKey) throws -> [String: String] {
        var all = try attributes[key] ?? recordedAttributes(of: key)
        for (name, value) in changes { all[name] = value }
        attributes[key] = all
        return all
    }

    /// Makes these the tags of a conversation and answers what they were.
    func exchange(_ new: Set<String>, of key: ConversationKey) throws -> Set<String> {
        if tags == nil { tags = try recordedTags() }
        return tags?.updateValue(new, forKey: key) ?? []
    }

    private func recordedAttributes(of key: ConversationKey) throws -> [String: String] {
        let bytes = try store.read { views in try views.conversation(key)?.attributes } ?? []
        return (try? JSONDecoder().decode([String: String].self, from: Data(bytes))) ?? [:]
    }

    private func recordedTags() throws -> [ConversationKey: Set<String>] {
        var tags: [ConversationKey: Set<String>] = [:]
        try store.forEachEvent(where: EventFilter(types: [.conversationTagged])) { recorded in
            if let event = recorded.event.payload as? ConversationTagged, let key = recorded.event.conversation {
                tags[key, default: []].formUnion(event.added)
                tags[key, default: []].subtract(event.removed)
            }
            return true
        }
        return tags
    }
}
