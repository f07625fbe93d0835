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
    /// The first problem of an element, or that there is none where the rule wants one.
    public func _problem(_ rule: FieldRule) -> String? {
        if case .nonEmpty = rule, isEmpty { return "is empty" }
        return Element._problem(self, rule)
    }
    /// The elements in words.
    public var _text: String? { Element._text(self) }
}

/// A type of which fields can hold a list.
///
/// Underscored requirements are the library's; do not implement them.
public protocol ListElement: Hashable, Sendable, Codable {
    /// How the log stores the list.
    static var _listType: FieldType { get }
    /// What elements say about people where a field's declaration does not decide it.
    static var _elementClass: FieldClass { get }
    /// The fields of an element that is a group.
    static var _fields: [FieldDescription] { get }
    /// Writes a list under a number.
    static func _write(_ list: [Self], _ number: UInt32, to writer: inout FieldWriter) throws
    /// Reads the list of a number; nil where there is none.
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
