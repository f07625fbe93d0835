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

/// Takes the fields of a payload: writes them to a record or as JSON, checks them, or shows them.
///
/// The library provides all encoders.
public protocol FieldEncoder {
    /// Takes a field that folds can read.
    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws
    /// Takes a field of the content, which redaction removes.
    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws
    /// Takes a field that is stored in the envelope.
    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: EnvelopeField<Slot>) throws
}

/// Gives the fields of a payload: from a record or from JSON.
///
/// The library provides all decoders.
public protocol FieldDecoder {
    /// Gives a field that folds can read.
    mutating func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value
    /// Gives a field of the content; what was redacted is absent.
    mutating func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value
    /// Gives a field that is stored in the envelope.
    mutating func decode<Slot: EnvelopeSlot>(_ field: EnvelopeField<Slot>) throws -> Slot.Value
}
