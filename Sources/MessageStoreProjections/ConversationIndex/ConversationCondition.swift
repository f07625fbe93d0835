/// A condition that a conversation fulfils to be found by a ``ConversationQuery``.
///
/// ```swift
/// let condition: ConversationCondition = .all([
///     .containsAll(["Tom", "Jerry"]),
///     .any([.attribute("topic", .equal("cats")), .attribute("level", .greater(3))]),
///     .not(.name(.hasPrefix("test"))),
/// ])
/// ```
public enum ConversationCondition: Hashable, Sendable {
    /// Every one of the conditions; with none, every conversation.
    case all([ConversationCondition])
    /// At least one of the conditions; with none, no conversation.
    case any([ConversationCondition])
    /// Not the condition.
    indirect case not(ConversationCondition)
    /// At least one of these users is a member ("contained in").
    case containsAny([UserID])
    /// All of these users are members; others may be as well.
    case containsAll([UserID])
    /// These users are the members, and nobody else is.
    case exactMembers([UserID])
    /// A tag was put on it; compared byte for byte.
    case tagged(String)
    /// It is of one of these kinds, by ``Conversation/kind``.
    case kinds(Set<ConversationKind>)
    /// A property has a value of which something holds.
    case property(ConversationProperty, ValueCondition)
}

extension ConversationCondition {
    /// A condition on the conversation's id, with any kind and channel.
    public static func id(_ condition: ValueCondition) -> Self { .property(.id, condition) }
    /// A condition on the name that the service gave the conversation.
    public static func name(_ condition: ValueCondition) -> Self { .property(.name, condition) }
    /// A condition on the id of its creator.
    public static func creator(_ condition: ValueCondition) -> Self { .property(.creator, condition) }
    /// A condition on an attribute; see ``ConversationProperty/attribute(_:)``.
    public static func attribute(_ name: String, _ condition: ValueCondition) -> Self {
        .property(.attribute(name), condition)
    }
}

/// A value that a conversation has or lacks, by which it is selected and ordered.
public enum ConversationProperty: Hashable, Sendable {
    /// The conversation's id, a string.
    case id
    /// The name that the service gave the conversation, a string.
    case name
    /// The id of who created it, a string.
    case creator
    /// When it was last active, in milliseconds since 1970, an integer.
    case activity
    /// How many members are known, an integer.
    case memberCount
    /// How many messages are unread, an integer.
    case unreadCount
    /// Whether it is pinned, `true` or `false`.
    case isPinned
    /// Whether it is muted at the time of the read, `true` or `false`.
    case isMuted
    /// Whether it is in the archive, `true` or `false`.
    case isArchived
    /// An attribute: of `ConversationFields.indexed`, else of `ConversationFields.attributes` where those are a JSON
    /// object.
    ///
    /// Strings, numbers, booleans and lists of them can be asked for, in objects within the object by a path such as
    /// `"place.city"`. `null`, and objects themselves, have no value. Of one conversation 1,000 values are kept, in the
    /// order of their names, with names and paths of up to 1,024 bytes of UTF-8. Bytes that a JSON decoder refuses have
    /// no values.
    case attribute(String)
}

extension ConversationProperty {
    /// All that are no attributes, by the names under which conditions are saved.
    package static let named: KeyValuePairs<String, ConversationProperty> = [
        "id": .id, "name": .name, "creator": .creator, "activity": .activity, "memberCount": .memberCount,
        "unreadCount": .unreadCount, "isPinned": .isPinned, "isMuted": .isMuted, "isArchived": .isArchived,
    ]

    /// The flag of the conversation's row that it is; nil for others.
    var flag: ConversationRow.Flags? {
        switch self {
        case .isPinned: .isPinned
        case .isArchived: .isArchived
        default: nil
        }
    }
}

/// A condition on a value.
///
/// Numbers are compared as numbers, with and without a fraction; strings and their parts byte for byte. Values of
/// different types are unequal, and neither is less. A property that a conversation lacks is unequal to everything, and
/// otherwise fulfils ``isMissing`` alone.
public enum ValueCondition: Hashable, Sendable {
    /// It is this string, number or boolean.
    case equal(JSONValue)
    /// It is missing, or is not this string, number or boolean.
    case notEqual(JSONValue)
    /// It is a string or number below this one.
    case less(JSONValue)
    /// It is a string or number up to this one.
    case lessOrEqual(JSONValue)
    /// It is a string or number above this one.
    case greater(JSONValue)
    /// It is a string or number from this one.
    case greaterOrEqual(JSONValue)
    /// It is one of these strings, numbers and booleans.
    case oneOf([JSONValue])
    /// It is missing, or is none of these strings, numbers and booleans.
    case noneOf([JSONValue])
    /// It is a string that begins with this one.
    case hasPrefix(String)
    /// It is a string that ends with this one.
    case hasSuffix(String)
    /// It is a string in which this string occurs, or a list with this string, number or boolean.
    case contains(JSONValue)
    /// There is a value.
    case exists
    /// There is no value.
    case isMissing
}
