@_spi(Storage) public import MessageStoreLog

/// Which conversations are wanted: all that every given condition holds for.
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
    /// The conversation's id, of whichever kind and channel.
    public var id: String?
    /// Attributes that it has, with their values; others may be there as well.
    public var attributes: [String: String]
    /// A tag that was put on it.
    public var tag: String?
    /// Whether conversations that were deleted from the list are found as well.
    public var includesHidden: Bool
    /// Whether chat rooms are found as well.
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
