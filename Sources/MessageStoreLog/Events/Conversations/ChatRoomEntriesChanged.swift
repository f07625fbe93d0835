/// The key-value pairs of a chat room changed.
public struct ChatRoomEntriesChanged: ConversationPayload {
    /// The pairs to set.
    public var values: [String: String]
    /// The keys to remove.
    public var removed: [String]

    /// Creates the event.
    public init(set values: [String: String] = [:], remove removed: [String] = []) {
        self.values = values
        self.removed = removed
    }
}

extension ChatRoomEntriesChanged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.chatRoomEntriesChanged, "ChatRoomEntriesChanged", scope: .chatRoom)

    package static let values = FieldOf(3, "values", \Self.values, .key)
    package static let removed = FieldOf(4, "removed", \Self.removed, .key)
    package static let fieldList = FieldList(Self.init, values, removed)
}

extension EventType {
    /// The type of ``ChatRoomEntriesChanged``.
    @inlinable public static var chatRoomEntriesChanged: EventType { EventType(rawValue: 0x32) }
}
