/// A named field of an event that folds can read; redaction leaves it.
///
/// The number is what the log stores, the name is what JSON, error messages and the command-line tool show. Neither is
/// ever given to another field of the same event.
public struct Field<Value: FieldValue>: Sendable {
    /// The number in the log, 3 to 63; 1 and 2 are common to all events.
    public let number: UInt32
    /// The name, by convention that of the property.
    public let name: StaticString
    /// The values that the field accepts.
    public let rule: FieldRule
    /// The class of what the values say about people; nil if it follows from their type.
    let fieldClass: FieldClass?

    /// Declares a field; its class follows from the type where `fieldClass` is nil: see ``FieldClass``.
    public init(_ number: UInt32, _ name: StaticString, _ rule: FieldRule = .any, _ fieldClass: FieldClass? = nil) {
        self.number = number
        self.name = name
        self.rule = rule
        self.fieldClass = fieldClass
    }
}

/// The class of what a field's values say about people, which decides what an erasure removes.
public enum FieldClass: String, Sendable, Hashable, Codable {
    /// Numbers, times and choices, which stay. The class of fields of numbers, times and `Bool`.
    case structure
    /// An id of a user, a conversation or a message, which stays. The class of fields of the ids' types.
    case identifier
    /// Words, names and whatever else a person or a host wrote, which an erasure removes. The class of all other fields:
    /// strings, bytes, pairs and groups. Content is always personal.
    case personal
}

/// A named field of an event's content: text written by a person, which redaction removes and folds never see.
///
/// Content fields have numbers of their own, from 1.
public struct ContentField<Value: FieldValue>: Sendable {
    /// The number in the log, 1 to 63.
    public let number: UInt32
    /// The name, by convention that of the property.
    public let name: StaticString

    /// Declares a content field.
    public init(_ number: UInt32, _ name: StaticString) {
        self.number = number
        self.name = name
    }
}

/// A named field that is stored in the envelope, which every record has.
public struct EnvelopeField<Value: FieldValue>: Sendable {
    let part: EnvelopePart<Value>
    /// The name, by convention that of the property.
    public let name: StaticString

    /// Declares a field of the envelope.
    public init(_ part: EnvelopePart<Value>, _ name: StaticString) {
        self.part = part
        self.name = name
    }
}

/// A rule on the values that a field accepts, in addition to its type.
public enum FieldRule: Sendable {
    /// Every value of the type.
    case any
    /// A list with at least one element.
    case nonEmpty
    /// Strings of 1 to ``EventLimits/keyBytes`` bytes of UTF-8.
    case key
    /// Strings of 1 to ``EventLimits/identifierBytes`` bytes of UTF-8.
    case identifier
}

/// The type of a field as the log, the tool and JSON know it.
public struct FieldType: Hashable, Sendable, Codable, CustomStringConvertible {
    /// How one value is stored.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// 0 or 1.
        case bool
        /// An unsigned number.
        case number
        /// A signed number, ZigZag-encoded.
        case signedNumber
        /// Milliseconds since 1970-01-01T00:00:00Z.
        case time
        /// UTF-8.
        case string
        /// Bytes, base64 in JSON.
        case bytes
        /// A user, as a number of the log's symbols.
        case user
        /// A conversation, as a number of the log's symbols.
        case conversation
        /// A message, by local or server id; takes this field's number and the next.
        case message
        /// A place in a conversation's order: time and server id; takes this field's number and the next.
        case order
        /// String pairs.
        case pairs
        /// A group of numbered fields.
        case group
    }

    /// How one value is stored.
    package let kind: Kind
    /// Whether a record may lack the field.
    package let isOptional: Bool
    /// Whether there are several values.
    package let isList: Bool

    /// Creates a type.
    package init(_ kind: Kind, isOptional: Bool = false, isList: Bool = false) {
        self.kind = kind
        self.isOptional = isOptional
        self.isList = isList
    }

    /// Whether a value takes the number after the field's own, too.
    var takesTwoNumbers: Bool { kind == .message || kind == .order }

    /// The class of fields whose declaration does not name one.
    var defaultClass: FieldClass {
        switch kind {
        case .bool, .number, .signedNumber, .time: .structure
        case .user, .conversation, .message, .order: .identifier
        case .string, .bytes, .pairs, .group: .personal
        }
    }

    /// The type in a few letters, such as `user`, `string?` or `[user]?`.
    public var description: String { (isList ? "[\(kind.rawValue)]" : kind.rawValue) + (isOptional ? "?" : "") }
}

/// A Boolean that a server reports or leaves out: unlike a `Bool`, it is written if it is false.
///
/// JSON has a Boolean; the number of earlier versions is read as well.
package struct ReportedFlag: FieldValue {
    package let isSet: Bool

    package init(_ isSet: Bool) { self.isSet = isSet }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        isSet = try (try? container.decode(Bool.self)) ?? (container.decode(UInt8.self) == 1)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(isSet)
    }

    package static var fieldType: FieldType { Bool.fieldType }
    package static var _placeholder: ReportedFlag { ReportedFlag(false) }
    package func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        writer.field(number, UInt64(isSet ? 1 : 0))
    }
    package static func _read(_ number: UInt32, from source: FieldSource) throws -> ReportedFlag? {
        try Bool._read(number, from: source).map(ReportedFlag.init)
    }
    package var _text: String? { isSet._text }
}

extension ReportedFlag: StoredValue {
    @usableFromInline package static func stored(_ number: UInt32, in fields: FieldReader) -> Bool? {
        Bool.stored(number, in: fields)
    }
    @usableFromInline package static var storedPlaceholder: Bool { false }
}
