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
    /// The members are these users and nobody else.
    case exactMembers([UserID])
    /// A tag was put on it; compared byte for byte.
    case tagged(String)
    /// It is of one of these kinds, by ``Conversation/kind``.
    case kinds(Set<ConversationKind>)
    /// A property has a value for which something holds.
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

/// Conditions as JSON, in which folders are saved.
///
/// A condition is an object with one member: `{"all": [conditions]}`, `{"any": [conditions]}`, `{"not": condition}`,
/// `{"containsAny": [users]}`, `{"containsAll": [users]}`, `{"exactMembers": [users]}`, `{"tagged": tag}`,
/// `{"kinds": [numbers]}`. One on a property has two: `"property"` with the name of a ``ConversationProperty``, or
/// `"attribute"` with that of an attribute; and the name of a ``ValueCondition`` with its value, its values, or `true`:
///
/// ```json
/// {"all": [{"kinds": [2]}, {"property": "isArchived", "equal": false}, {"attribute": "topic", "exists": true}]}
/// ```
extension ConversationCondition {
    /// The most conditions within each other that are saved.
    public static let maximumSavedDepth = 20

    /// The condition as JSON; equal conditions give equal bytes.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` for a condition of more than ``maximumSavedDepth`` levels or
    ///   64 KiB, and for a comparison with anything but strings, numbers and booleans.
    public func json() throws -> String {
        try check(levels: Self.maximumSavedDepth)
        guard let bytes = try? JSONBytes.encode(value),
            bytes.count <= ConversationFolderChanged.maximumConditionBytes
        else { throw Self.unsaved("is too long, or compares with what is no number") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a condition that ``json()`` wrote.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` where the text is none, or one of a later version.
    public init(json: String) throws {
        guard json.utf8.count <= ConversationFolderChanged.maximumConditionBytes,
            let value = try? JSONBytes.decode(JSONValue.self, from: Array(json.utf8)),
            let condition = Self(value, levels: Self.maximumSavedDepth)
        else { throw Self.unsaved("is not one that this version can read") }
        self = condition
    }

    private static func unsaved(_ problem: String) -> StoreError {
        StoreError(.invalidArgument, "a saved condition \(problem)")
    }

    private func check(levels: Int) throws {
        guard levels > 0 else { throw Self.unsaved("has more than \(Self.maximumSavedDepth) levels") }
        switch self {
        case .all(let conditions), .any(let conditions):
            for condition in conditions { try condition.check(levels: levels - 1) }
        case .not(let condition): try condition.check(levels: levels - 1)
        case .property(_, let condition):
            guard condition.operands.allSatisfy(\.isScalar) else {
                throw Self.unsaved("compares with strings, numbers and booleans alone")
            }
        case .containsAny, .containsAll, .exactMembers, .tagged, .kinds: break
        }
    }

    private var value: JSONValue {
        switch self {
        case .all(let conditions): .object(["all": .array(conditions.map(\.value))])
        case .any(let conditions): .object(["any": .array(conditions.map(\.value))])
        case .not(let condition): .object(["not": condition.value])
        case .containsAny(let users): .object(["containsAny": .array(users.map { .string($0.rawValue) })])
        case .containsAll(let users): .object(["containsAll": .array(users.map { .string($0.rawValue) })])
        case .exactMembers(let users): .object(["exactMembers": .array(users.map { .string($0.rawValue) })])
        case .tagged(let tag): .object(["tagged": .string(tag)])
        case .kinds(let kinds):
            .object(["kinds": .array(kinds.map(\.rawValue).ordered().map { .integer(Int64($0)) })])
        case .property(.attribute(let name), let condition):
            .object(["attribute": .string(name), condition.member.name: condition.member.value])
        case .property(let property, let condition):
            .object(["property": .string(property.savedName), condition.member.name: condition.member.value])
        }
    }

    /// nil if the value is no condition that this version knows.
    private init?(_ value: JSONValue, levels: Int) {
        guard levels > 0, case .object(var members) = value else { return nil }
        let property: ConversationProperty?
        switch (members.removeValue(forKey: "property"), members.removeValue(forKey: "attribute")) {
        case (nil, nil): property = nil
        case (.string(let name)?, nil):
            guard let named = ConversationProperty(savedName: name) else { return nil }
            property = named
        case (nil, .string(let name)?): property = .attribute(name)
        default: return nil
        }
        guard members.count == 1, let (name, value) = members.first else { return nil }
        if let property {
            guard let condition = ValueCondition(name, value) else { return nil }
            self = .property(property, condition)
            return
        }
        switch (name, value) {
        case ("all", .array(let values)), ("any", .array(let values)):
            let conditions = values.compactMap { Self($0, levels: levels - 1) }
            guard conditions.count == values.count else { return nil }
            self = name == "all" ? .all(conditions) : .any(conditions)
        case ("not", let value):
            guard let condition = Self(value, levels: levels - 1) else { return nil }
            self = .not(condition)
        case ("tagged", .string(let tag)): self = .tagged(tag)
        case ("kinds", .array(let values)):
            let kinds = values.compactMap { value in
                if case .integer(let number) = value { UInt8(exactly: number) } else { nil }
            }
            guard kinds.count == values.count else { return nil }
            self = .kinds(Set(kinds.map { ConversationKind(rawValue: $0) }))
        case (_, .array(let values)):
            let users = values.compactMap(\.stringValue).map { UserID($0) }
            guard users.count == values.count else { return nil }
            switch name {
            case "containsAny": self = .containsAny(users)
            case "containsAll": self = .containsAll(users)
            case "exactMembers": self = .exactMembers(users)
            default: return nil
            }
        default: return nil
        }
    }
}

extension ConversationProperty {
    /// The name under which it is saved; that of an attribute is its own.
    fileprivate var savedName: String {
        if case .attribute(let name) = self { return name }
        return Self.named.first { $0.value == self }?.key ?? ""
    }

    fileprivate init?(savedName: String) {
        guard let property = Self.named.first(where: { $0.key == savedName }) else { return nil }
        self = property.value
    }
}

extension ValueCondition {
    fileprivate var member: (name: String, value: JSONValue) {
        switch self {
        case .equal(let value): ("equal", value)
        case .notEqual(let value): ("notEqual", value)
        case .less(let value): ("less", value)
        case .lessOrEqual(let value): ("lessOrEqual", value)
        case .greater(let value): ("greater", value)
        case .greaterOrEqual(let value): ("greaterOrEqual", value)
        case .oneOf(let values): ("oneOf", .array(values))
        case .noneOf(let values): ("noneOf", .array(values))
        case .hasPrefix(let prefix): ("hasPrefix", .string(prefix))
        case .hasSuffix(let suffix): ("hasSuffix", .string(suffix))
        case .contains(let value): ("contains", value)
        case .exists: ("exists", true)
        case .isMissing: ("isMissing", true)
        }
    }

    fileprivate init?(_ name: String, _ value: JSONValue) {
        switch (name, value) {
        case ("equal", _): self = .equal(value)
        case ("notEqual", _): self = .notEqual(value)
        case ("less", _): self = .less(value)
        case ("lessOrEqual", _): self = .lessOrEqual(value)
        case ("greater", _): self = .greater(value)
        case ("greaterOrEqual", _): self = .greaterOrEqual(value)
        case ("oneOf", .array(let values)): self = .oneOf(values)
        case ("noneOf", .array(let values)): self = .noneOf(values)
        case ("hasPrefix", .string(let prefix)): self = .hasPrefix(prefix)
        case ("hasSuffix", .string(let suffix)): self = .hasSuffix(suffix)
        case ("contains", _): self = .contains(value)
        case ("exists", .bool(true)): self = .exists
        case ("isMissing", .bool(true)): self = .isMissing
        default: return nil
        }
        guard operands.allSatisfy(\.isScalar) else { return nil }
    }
}
