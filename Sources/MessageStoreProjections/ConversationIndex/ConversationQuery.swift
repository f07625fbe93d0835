@_spi(Storage) public import MessageStoreLog

/// Selects the conversations for which every given condition holds.
///
/// Strings are compared byte for byte.
public struct ConversationQuery: Hashable, Sendable {
    /// At least one of these users is a member ("contained in").
    public var containsAny: [UserID]?
    /// All of these users are members; others may be as well.
    public var containsAll: [UserID]?
    /// These users are the members, and nobody else is.
    public var exactMembers: [UserID]?
    /// The name that the service gave the conversation.
    public var name: String?
    /// Who created it.
    public var creator: UserID?
    /// The conversation's id, with any kind and channel.
    public var id: String?
    /// Attributes that it has, with their values; it may have others as well.
    public var attributes: [String: String]
    /// A tag that was put on it.
    public var tag: String?
    /// Whether to include conversations that were deleted from the list.
    public var includesHidden: Bool
    /// Whether to include chat rooms.
    public var includesChatRooms: Bool

    /// Creates a query; without any condition it finds every conversation.
    public init(
        containsAny: [UserID]? = nil, containsAll: [UserID]? = nil, exactMembers: [UserID]? = nil,
        name: String? = nil, creator: UserID? = nil, id: String? = nil, attributes: [String: String] = [:],
        tag: String? = nil, includesHidden: Bool = false, includesChatRooms: Bool = false
    ) {
        self.containsAny = containsAny
        self.containsAll = containsAll
        self.exactMembers = exactMembers
        self.name = name
        self.creator = creator
        self.id = id
        self.attributes = attributes
        self.tag = tag
        self.includesHidden = includesHidden
        self.includesChatRooms = includesChatRooms
    }
}
