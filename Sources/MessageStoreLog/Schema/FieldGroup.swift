/// Values that are stored as fields: a payload, a row, or a part that several payloads share.
///
/// ``DeclaredFields`` is the short form. Here the fields are named as constants, and reading and writing use them:
///
/// ```swift
/// enum Fields {
///     static let message = Field<MessageReference>(3, "message")
///     static let note = ContentField<String?>(1, "note")
/// }
///
/// init(from fields: inout some FieldDecoder) throws {
///     self.init(message: try fields.decode(Fields.message), note: try fields.decode(Fields.note))
/// }
///
/// func encode(to fields: inout some FieldEncoder) throws {
///     try fields.encode(message, for: Fields.message)
///     try fields.encode(note, for: Fields.note)
/// }
/// ```
///
/// Records, JSON, validation and display follow from the two.
public protocol FieldGroup: Hashable, Sendable {
    /// Reads the fields.
    init(from fields: inout some FieldDecoder) throws
    /// Writes the fields, always in the same order.
    func encode(to fields: inout some FieldEncoder) throws
}

/// A group of this package, which alone reads and writes its fields.
///
/// Payloads that a sync delivers in great number write their fields by hand, specialised for records.
package protocol BuiltInGroup: FieldGroup {
    init<Source: FieldDecoder>(reading fields: inout Source) throws
    func write<Target: FieldEncoder>(to fields: inout Target) throws
}

extension BuiltInGroup {
    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws { try self.init(reading: &fields) }
    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws { try write(to: &fields) }
}

/// Takes the fields of a payload: writes them to a record or as JSON, checks them, or shows them.
///
/// The library provides all encoders.
public protocol FieldEncoder {
    /// Takes a field that folds can read.
    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws
    /// Takes a field of the content, which redaction removes.
    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws
    /// Takes a field of the envelope in one of the forms that built-in payloads have.
    @_spi(Storage) mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws
    /// Completes the envelope of a record by what follows from the payload, after the fields.
    @_spi(Storage) mutating func complete(_ body: (inout RecordEnvelope) -> Void)
    /// Takes a received message as a whole; false, and nothing was taken, where its fields have to be encoded.
    @_spi(Storage) mutating func take(_ message: MessageReceived) throws -> Bool
    /// Whether a field without a value leaves no trace, so that a group may pass over fields that it lacks.
    @_spi(Storage) static var skipsAbsent: Bool { get }
}

extension FieldEncoder {
    /// Takes a field that is stored in the envelope.
    public mutating func encode<Value: FieldValue>(_ value: Value, for field: EnvelopeField<Value>) throws {
        try field.part.slot.encode(value, field.name, to: &self)
    }

    /// Nothing, if no record is written.
    @_spi(Storage) public mutating func complete(_ body: (inout RecordEnvelope) -> Void) {}
    /// Other encoders want each field.
    @_spi(Storage) public mutating func take(_ message: MessageReceived) throws -> Bool { false }
    /// Whoever lists fields has them all.
    @_spi(Storage) public static var skipsAbsent: Bool { false }
}

/// Gives the fields of a payload: from a record or from JSON.
///
/// The library provides all decoders.
public protocol FieldDecoder {
    /// Gives a field that folds can read.
    mutating func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value
    /// Gives a field of the content; redacted fields are absent.
    mutating func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value
    /// Gives a field of the envelope in one of the forms that built-in payloads have.
    @_spi(Storage) mutating func decode<Slot: EnvelopeSlot>(_ field: SlotField<Slot>) throws -> Slot.Value
    /// Whether it is known that there is no field that folds can read.
    @_spi(Storage) var isWithoutFields: Bool { get }
}

extension FieldDecoder {
    /// Mostly that is not known.
    @_spi(Storage) public var isWithoutFields: Bool { false }
    /// Gives a field that is stored in the envelope.
    public mutating func decode<Value: FieldValue>(_ field: EnvelopeField<Value>) throws -> Value {
        try field.part.slot.decode(field.name, from: &self)
    }
}

extension ListElement where Self: FieldGroup {
    /// A list of groups.
    public static var _listType: FieldType { FieldType(.group, isList: true) }
    /// The fields that the group reads.
    public static var _fields: [FieldDescription] { FieldLister.descriptions(of: Self.self) }
    /// Writes one group for each element.
    public static func _write(_ list: [Self], _ number: UInt32, to writer: inout FieldWriter) throws {
        for element in list {
            try writer.group(number) { group in
                var encoder = GroupWriter(fields: group)
                try element.encode(to: &encoder)
            }
        }
    }
    /// Reads every group of the number.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [Self]? {
        var elements: [Self] = []
        var fields = source.reader
        while let field = fields.next() {
            guard field.id == number else { continue }
            var reader = GroupReader(bytes: field.bytes.copied, symbols: source.symbols)
            elements.append(try Self(from: &reader))
        }
        return elements.isEmpty ? nil : elements
    }
    /// The first problem of an element's field.
    public static func _problem(_ list: [Self], _ rule: FieldRule) -> String? {
        var finder = ProblemFinder()
        for element in list where finder.problem == nil { try? element.encode(to: &finder) }
        return finder.problem
    }
    /// The elements: of each the first field, and the others with their names.
    public static func _text(_ list: [Self]) -> String {
        list.map { element in
            let texts = element.texts
            let others = texts.dropFirst().compactMap { field in field.text.map { "\(field.name)=\($0)" } }
            return ([texts.first?.text ?? ""] + others).joined(separator: " ")
        }.joined(separator: ", ")
    }

    /// Reads each field by its name; bytes are base64.
    public init(from decoder: any Decoder) throws {
        var fields = PayloadJSONDecoder(container: try decoder.container(keyedBy: FieldName.self))
        try self.init(from: &fields)
    }
    /// Writes each field under its name; bytes are base64.
    public func encode(to encoder: any Encoder) throws {
        var fields = PayloadJSONEncoder(container: encoder.container(keyedBy: FieldName.self), omitsContent: false)
        try encode(to: &fields)
    }
}

/// Writes the fields of a group; the fields of its list were checked before.
private struct GroupWriter: FieldEncoder {
    var fields: FieldWriter

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        try value._write(field.number, to: &fields)
    }

    func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        throw FieldError.unreadable
    }

    func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        throw FieldError.unreadable
    }
}

/// Reads the fields of a group, or of a row, which names users and conversations in full.
struct GroupReader: FieldDecoder {
    let bytes: [UInt8]
    let symbols: SymbolReader?

    func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value {
        try Value._value(field.number, from: FieldSource(FieldReader(bytes.span.bytes), symbols))
    }

    func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value { throw FieldError.unreadable }

    func decode<Slot: EnvelopeSlot>(_ field: SlotField<Slot>) throws -> Slot.Value { throw FieldError.unreadable }
}

/// Finds the first problem of a group's fields.
private struct ProblemFinder: FieldEncoder {
    var problem: String?

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        if problem == nil { problem = value._problem(field.rule).map { "holds a value whose \(field.name) \($0)" } }
    }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        problem = "holds content, which groups do not have"
    }

    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        problem = "holds a part of the envelope, which groups do not have"
    }
}
