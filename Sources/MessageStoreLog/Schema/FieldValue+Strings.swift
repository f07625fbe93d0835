extension String: FieldValue {
    /// UTF-8.
    public static var fieldType: FieldType { FieldType(.string) }
    /// The empty string.
    public static var _placeholder: String { "" }
    /// Writes the UTF-8, also of an empty string.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws { writer.field(number, self) }
    /// Reads UTF-8; broken UTF-8 becomes U+FFFD.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> String? {
        source.first(number)?.string
    }
    /// Whether the string is empty or too long for the rule.
    public func _problem(_ rule: FieldRule) -> String? {
        switch rule {
        case .any, .nonEmpty: nil
        case .key: problem(longest: EventLimits.keyBytes)
        case .identifier: problem(longest: EventLimits.identifierBytes)
        }
    }

    @inline(__always) func problem(longest: Int) -> String? {
        (1...longest).contains(utf8.count) ? nil : problemOfLength(longest)
    }

    private func problemOfLength(_ longest: Int) -> String {
        isEmpty ? "is empty" : "has \(utf8.count) bytes; at most \(longest) are allowed"
    }
}

extension FieldValue where Self: StringIdentifier {
    /// UTF-8.
    public static var fieldType: FieldType { FieldType(.string) }
    /// An identifier.
    public static var _fieldClass: FieldClass { .identifier }
    /// The empty identifier, which cannot be recorded.
    public static var _placeholder: Self { Self(rawValue: "") }
    /// Whether the identifier is empty or longer than ``EventLimits/identifierBytes``.
    public func _problem(_ rule: FieldRule) -> String? { rawValue.problem(longest: EventLimits.identifierBytes) }
}

extension ServerMessageID: FieldValue {}
extension ClientToken: FieldValue {}
extension EventID: FieldValue {}
extension DeviceID: FieldValue {}
extension ContentType: FieldValue {}

extension Array: FieldValue where Element: ListElement {
    /// A list of the elements' type.
    public static var fieldType: FieldType { Element._listType }
    /// The elements' class.
    public static var _fieldClass: FieldClass { Element._elementClass }
    /// The fields of the elements, where they are groups.
    public static var _elementFields: [FieldDescription] { Element._fields }
    /// The empty list.
    public static var _placeholder: [Element] { [] }
    /// Writes the elements in their order.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        try Element._write(self, number, to: &writer)
    }
    /// Reads the elements in their order.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> [Element]? {
        try Element._readList(number, from: source)
    }
    /// The same, or the empty list.
    public static func _value(_ number: UInt32, from source: FieldSource) throws -> [Element] {
        try Element._readList(number, from: source) ?? []
    }
    /// The first problem of an element, or that there is none if the rule wants one.
    public func _problem(_ rule: FieldRule) -> String? {
        if case .nonEmpty = rule, isEmpty { return "is empty" }
        return Element._problem(self, rule)
    }
    /// The elements in words.
    public var _text: String? { Element._text(self) }
}

/// A type that fields can hold a list of.
///
/// Underscored requirements are the library's; do not implement them.
public protocol ListElement: Hashable, Sendable, Codable {
    /// How the log stores the list.
    static var _listType: FieldType { get }
    /// The class of what elements say about people if a field's declaration does not decide it.
    static var _elementClass: FieldClass { get }
    /// The fields of an element that is a group.
    static var _fields: [FieldDescription] { get }
    /// Writes a list under a number.
    static func _write(_ list: [Self], _ number: UInt32, to writer: inout FieldWriter) throws
    /// Reads the list of a number; nil if there is none.
    static func _readList(_ number: UInt32, from source: FieldSource) throws -> [Self]?
    /// The first problem of an element.
    static func _problem(_ list: [Self], _ rule: FieldRule) -> String?
    /// A list in words.
    static func _text(_ list: [Self]) -> String
}

extension ListElement {
    /// As the type of the stored list has it.
    public static var _elementClass: FieldClass { _listType.defaultClass }
    /// None: no group.
    public static var _fields: [FieldDescription] { [] }
    /// The elements, with spaces between.
    public static func _text(_ list: [Self]) -> String { list.map { "\($0)" }.joined(separator: " ") }
}

extension ListElement where Self: FieldValue {
    /// A list of the type.
    public static var _listType: FieldType { FieldType(fieldType.kind, isList: true) }
    /// Writes one field for each element.
    public static func _write(_ list: [Self], _ number: UInt32, to writer: inout FieldWriter) throws {
        for element in list { try element._write(number, to: &writer) }
    }
    /// The first problem of an element.
    public static func _problem(_ list: [Self], _ rule: FieldRule) -> String? {
        for element in list {
            if let problem = element._problem(rule) { return "holds a value that \(problem)" }
        }
        return nil
    }
}

extension String: ListElement {
    /// Reads every field of the number.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [String]? {
        source.reader.strings(number)
    }
}

extension UInt8: ListElement {
    /// Bytes.
    public static var _listType: FieldType { FieldType(.bytes) }
    /// Writes one field of bytes, also for none.
    public static func _write(_ list: [UInt8], _ number: UInt32, to writer: inout FieldWriter) throws {
        writer.field(number, list)
    }
    /// Reads the bytes of the field.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [UInt8]? {
        source.first(number)?.bytes.copied
    }
    /// Every byte can be recorded.
    public static func _problem(_ list: [UInt8], _ rule: FieldRule) -> String? { nil }
    /// The bytes as they are where all are printable ASCII, or how many there are.
    public static func _text(_ list: [UInt8]) -> String {
        guard !list.isEmpty, list.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return "\(list.count) bytes" }
        return String(decoding: list, as: UTF8.self)
    }
}

extension [String: String]: FieldValue {
    /// String pairs.
    public static var fieldType: FieldType { FieldType(.pairs) }
    /// No pairs.
    public static var _placeholder: [String: String] { [:] }
    /// Writes one group for each pair, in the order of the keys' bytes.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws { writer.field(number, pairs: self) }
    /// Reads every pair of the number.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> [String: String]? {
        source.reader.pairs(number)
    }
    /// Whether a key is empty or too long for the rule.
    public func _problem(_ rule: FieldRule) -> String? { String._problem(Array(keys), rule) }
    /// The pairs, in the order of their keys.
    public var _text: String? { sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
}

extension MessageReference: FieldValue, ListElement {
    /// The number of the field in which payloads keep the messages that they are about.
    static let fieldNumber: UInt32 = 3

    /// A local or server id.
    public static var fieldType: FieldType { FieldType(.message) }
    /// A message that is none.
    public static var _placeholder: MessageReference { .local(LocalMessageID(0)) }
    /// A message is never left out.
    public static var _isRequired: Bool { true }
    /// Writes a local id under the number, a server id under the next.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        switch self {
        case .local(let id): writer.field(number, id.rawValue)
        case .server(let id): writer.field(number &+ 1, id.rawValue)
        }
    }
    /// Reads the first message.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> MessageReference? {
        try _readList(number, from: source)?.first
    }
    /// Reads local and server ids in their order.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [MessageReference]? {
        var references: [MessageReference] = []
        source.reader.forEachReference(number) { reference in
            switch reference {
            case .local(let id): references.append(.local(id))
            case .server(let bytes): references.append(.server(ServerMessageID(bytes.string)))
            }
        }
        return references
    }
    /// Whether a server id is empty or too long.
    public func _problem(_ rule: FieldRule) -> String? {
        guard case .server(let id) = self else { return nil }
        return id._problem(.any).map { "names a server id that \($0)" }
    }
}

extension MessageOrder: FieldValue {
    /// A time and a server id.
    public static var fieldType: FieldType { FieldType(.order) }
    /// The end of the time that is not known.
    public static var _placeholder: MessageOrder { MessageOrder(time: .unknown) }
    /// Writes the time under the number and the server id under the next.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        try time._write(number, to: &writer)
        try id._write(number &+ 1, to: &writer)
    }
    /// Reads time and server id.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> MessageOrder? {
        guard let time = try Timestamp._read(number, from: source) else { return nil }
        return MessageOrder(time: time, id: try ServerMessageID._read(number &+ 1, from: source))
    }
    /// As its parts.
    public func _problem(_ rule: FieldRule) -> String? {
        time._problem(rule).map { "has a time that \($0)" } ?? id?._problem(rule).map { "has a server id that \($0)" }
    }
}

extension UserID: FieldValue, ListElement {
    /// A number of the log's symbols; in hosts' events and in content the id itself.
    public static var fieldType: FieldType { FieldType(.user) }
    /// A user is never left out.
    public static var _isRequired: Bool { true }
    /// Writes the user's number, or the id.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        guard writer.usesSymbols else { return writer.field(number, rawValue) }
        writer.field(number, UInt64(try writer.symbol(self)))
    }
    /// Reads the user of a number, or an id.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> UserID? {
        guard let found = source.first(number) else { return nil }
        guard let symbols = source.symbols else { return UserID(found.string) }
        return try symbols.user(UInt32(truncatingIfNeeded: found.number))
    }
    /// Writes one field of packed numbers, also for nobody, or one for each id.
    public static func _write(_ list: [UserID], _ number: UInt32, to writer: inout FieldWriter) throws {
        guard writer.usesSymbols else {
            for user in list { writer.field(number, user.rawValue) }
            return
        }
        try writer.packed(number, list) { user, writer in try writer.symbol(user) }
    }
    /// Reads the users of a packed field, or all ids.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [UserID]? {
        guard let symbols = source.symbols else { return source.reader.strings(number).map(UserID.init) }
        return try source.first(number)?.packed.map { try symbols.user($0) }
    }
}

extension ConversationKey: FieldValue, ListElement {
    /// A number of the log's symbols; in hosts' events and in content kind, id and channel.
    public static var fieldType: FieldType { FieldType(.conversation) }
    /// A key that cannot be recorded.
    public static var _placeholder: ConversationKey { .group("") }
    /// A conversation is never left out.
    public static var _isRequired: Bool { true }
    /// Writes the conversation's number, or its parts.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        guard writer.usesSymbols else { return writer.field(number, symbolBytes) }
        writer.field(number, UInt64(try writer.symbol(self)))
    }
    /// Reads the conversation of a number, or its parts.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> ConversationKey? {
        guard let found = source.first(number) else { return nil }
        guard let symbols = source.symbols else { return try inFull(found.bytes.copied) }
        return try symbols.conversation(UInt32(truncatingIfNeeded: found.number))
    }
    /// Writes one field of packed numbers, also for none, or one for each conversation.
    public static func _write(_ list: [ConversationKey], _ number: UInt32, to writer: inout FieldWriter) throws {
        guard writer.usesSymbols else {
            for key in list { writer.field(number, key.symbolBytes) }
            return
        }
        try writer.packed(number, list) { key, writer in try writer.symbol(key) }
    }
    /// Reads the conversations of a packed field, or of all fields.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [ConversationKey]? {
        if let symbols = source.symbols { return try source.first(number)?.packed.map { try symbols.conversation($0) } }
        var keys: [ConversationKey] = []
        var reader = source.reader
        while let field = reader.next() {
            if field.id == number { keys.append(try inFull(field.bytes.copied)) }
        }
        return keys
    }
    private static func inFull(_ bytes: [UInt8]) throws -> ConversationKey {
        guard let key = ConversationKey(symbolBytes: bytes) else { throw FieldError.unreadable }
        return key
    }
    /// Whether id or channel are empty or too long.
    public func _problem(_ rule: FieldRule) -> String? {
        if let problem = id.problem(longest: EventLimits.identifierBytes) { return "has an id that \(problem)" }
        return channel?.problem(longest: EventLimits.channelBytes).map { "has a channel that \($0)" }
    }
}
