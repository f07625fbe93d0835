/// Selects conversations by a condition, and puts them in an order.
///
/// A condition on members, id, name, creator, tag or an attribute's value is answered by an index where it is an
/// equality, and one on an attribute also where it is a range of numbers; see
/// ``Views/conversations(matching:after:limit:)`` for what queries cost.
public struct ConversationQuery: Hashable, Sendable {
    /// The condition.
    public var condition: ConversationCondition
    /// By what the conversations are ordered; those that are equal in all of it by the latest activity.
    public var order: [ConversationOrder]
    /// Whether to include conversations that were deleted from the list.
    public var includesHidden: Bool
    /// Whether to include chat rooms.
    public var includesChatRooms: Bool

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - condition: The condition; every conversation where nothing is given.
    ///   - order: The order, the first property first; the latest activity first where nothing is given.
    ///   - includesHidden: Whether to include conversations that were deleted from the list.
    ///   - includesChatRooms: Whether to include chat rooms.
    public init(
        _ condition: ConversationCondition = .all([]), order: [ConversationOrder] = [], includesHidden: Bool = false,
        includesChatRooms: Bool = false
    ) {
        self.condition = condition
        self.order = order
        self.includesHidden = includesHidden
        self.includesChatRooms = includesChatRooms
    }
}

/// An order of conversations by a property.
///
/// Booleans are smaller than numbers, those than strings, and those than lists. Conversations that lack the value come
/// last in either direction.
public struct ConversationOrder: Hashable, Sendable {
    /// The property.
    public var property: ConversationProperty
    /// Whether the greatest value comes first.
    public var isDescending: Bool

    /// The smallest value first.
    public static func ascending(_ property: ConversationProperty) -> Self {
        Self(property: property, isDescending: false)
    }

    /// The greatest value first.
    public static func descending(_ property: ConversationProperty) -> Self {
        Self(property: property, isDescending: true)
    }
}
