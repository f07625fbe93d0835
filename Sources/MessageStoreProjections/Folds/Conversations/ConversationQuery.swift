/// Selects conversations by a condition, and puts them in an order.
///
/// A condition on members, id, name, creator, tag or an attribute's value is answered by an index where it is an
/// equality, and one on an attribute also where it is a range of numbers; see
/// ``Views/conversations(matching:after:limit:)`` for what queries cost.
public struct ConversationQuery: Hashable, Sendable {
    /// The condition.
    public var condition: ConversationCondition
    /// The order of the conversations; ones that are equal in it are ordered by the latest activity.
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

/// A conversation that a query looks at; its rows are read when a condition asks for them.
struct QueriedConversation {
    let number: ConversationNumber
    /// A number by which the index of listed conversations found it, and the attribute that has it.
    private let found: (attribute: String, number: JSONValue)?
    private(set) var knownRow: ConversationRow?
    private var knownFields: ConversationInfoFields?

    init(_ number: ConversationNumber, found: (attribute: String, number: JSONValue)? = nil) {
        self.number = number
        self.found = found
    }

    /// Whether a query shows it, whatever its condition.
    mutating func isShown(in query: ConversationQuery, _ snapshot: borrowing ViewSnapshot) throws
        -> Bool
    {
        if found != nil { return true }
        knownRow = try snapshot.row(ConversationList.conversations, number)
        guard let knownRow else { return false }
        return (query.includesHidden || knownRow.isListed)
            && (query.includesChatRooms || knownRow.kind != ConversationKind.chatRoom.rawValue)
    }

    /// The row of one that is shown.
    mutating func row(_ snapshot: borrowing ViewSnapshot) throws -> ConversationRow {
        if let knownRow { return knownRow }
        guard let row = try snapshot.row(ConversationList.conversations, number) else {
            throw StoreError.unreadableRow(of: ConversationList.conversations, at: number)
        }
        knownRow = row
        return row
    }

    private mutating func fields(_ snapshot: borrowing ViewSnapshot) throws -> ConversationInfoFields {
        if let knownFields { return knownFields }
        let fields = try ConversationInfoFields(of: number, snapshot)
        knownFields = fields
        return fields
    }

    mutating func hasTag(_ tag: String, _ snapshot: borrowing ViewSnapshot) throws -> Bool {
        try fields(snapshot).hasTag(tag)
    }

    /// nil if the conversation has none.
    mutating func value(of property: ConversationProperty, _ snapshot: borrowing ViewSnapshot) throws -> JSONValue? {
        switch property {
        case .id: return .string(try snapshot.symbols.conversation(number).id)
        case .name: return try fields(snapshot).name.map { .string($0) }
        case .creator:
            let creator = try fields(snapshot).creator
            return creator == .none ? nil : .string(try snapshot.symbols.user(creator).rawValue)
        case .activity:
            let activity = try row(snapshot).activity
            return activity == 0 ? nil : .integer(Int64(clamping: activity))
        case .memberCount: return .integer(Int64(try snapshot.memberCount(of: number)))
        case .unreadCount: return .integer(Int64(clamping: try snapshot.unreadRow(of: number).messages))
        case .isMuted: return .bool(try row(snapshot).muting.level(at: try snapshot.time()) == .nothing)
        case .attribute(let name):
            if let found, found.attribute.hasSameBytes(as: name) { return found.number }
            return try fields(snapshot).value(ofAttribute: name)
        default:
            guard let flag = property.flag else { return nil }
            return .bool(try row(snapshot).flags[flag])
        }
    }
}

/// A conversation's place in the order of a query: its values, then the latest activity, then who was heard of first.
struct QueryPlace {
    let values: [JSONValue?]
    let activity: UInt64
    let number: ConversationNumber

    init(_ candidate: inout QueriedConversation, _ order: [ConversationOrder], _ snapshot: borrowing ViewSnapshot)
        throws
    {
        var values: [JSONValue?] = []
        for key in order { values.append(try candidate.value(of: key.property, snapshot)) }
        self.values = values
        activity = try candidate.row(snapshot).activity
        number = candidate.number
    }

    /// Reads the place from a cursor of a query with the same order.
    init(_ cursor: PageCursor, in order: [ConversationOrder]) throws {
        guard case .array(let parts)? = try? JSONBytes.decode(JSONValue.self, from: cursor.place(.match)),
            parts.count == 4, parts[0] == Self.spelling(of: order), case .array(let values) = parts[1],
            values.count == order.count, case .integer(let activity) = parts[2], case .integer(let number) = parts[3],
            let conversation = UInt32(exactly: number)
        else { throw PageCursor.mismatch }
        self.values = values.map { if case .array(let value) = $0 { value.first } else { nil } }
        self.activity = UInt64(bitPattern: activity)
        self.number = ConversationNumber(rawValue: conversation)
    }

    /// The cursor after which the next page begins.
    func cursor(in order: [ConversationOrder]) throws -> PageCursor {
        // Lists and objects have one place, and may be long.
        let values = values.map { JSONValue.array($0.map { [$0.isScalar ? $0 : []] } ?? []) }
        let parts: JSONValue = [
            Self.spelling(of: order), .array(values), .integer(Int64(bitPattern: activity)),
            .integer(Int64(number.rawValue)),
        ]
        return PageCursor(.match, try JSONBytes.encode(parts))
    }

    private static func spelling(of order: [ConversationOrder]) -> JSONValue { .string("\(order)") }

    func precedes(_ other: QueryPlace, in order: [ConversationOrder]) -> Bool {
        for index in order.indices {
            switch (values[index], other.values[index]) {
            case (nil, nil): continue
            case (_, nil): return true
            case (nil, _): return false
            case (let first?, let second?):
                let result = first.sorts(against: second)
                if result != 0 { return order[index].isDescending == (result > 0) }
            }
        }
        return (other.activity, number) < (activity, other.number)
    }
}
