extension Bool: FieldValue {
    /// A number, 1 for true.
    public static var fieldType: FieldType { FieldType(.bool) }
    /// False.
    public static var _placeholder: Bool { false }
    /// Writes nothing for false.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws { writer.field(number, self) }
    /// Reads 1 as true and everything else as false.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> Bool? {
        (source.first(number)?.number).map { $0 == 1 }
    }
}

extension FieldValue where Self: FixedWidthInteger & UnsignedInteger {
    /// An unsigned number.
    public static var fieldType: FieldType { FieldType(.number) }
    /// Zero.
    public static var _placeholder: Self { 0 }
    /// Writes a varint.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws { writer.field(number, UInt64(self)) }
    /// Reads a varint; one that does not fit the type is an error.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> Self? {
        guard let found = source.first(number)?.number else { return nil }
        guard let value = Self(exactly: found) else { throw FieldError.unreadable }
        return value
    }
}

extension UInt8: FieldValue {}
extension UInt16: FieldValue {}
extension UInt32: FieldValue {}
extension UInt64: FieldValue {}

extension FieldValue where Self: FixedWidthInteger & SignedInteger {
    /// A signed number.
    public static var fieldType: FieldType { FieldType(.signedNumber) }
    /// Zero.
    public static var _placeholder: Self { 0 }
    /// Writes a ZigZag varint.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        writer.field(number, signed: Int64(self))
    }
    /// Reads a ZigZag varint; one that does not fit the type is an error.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> Self? {
        guard let found = source.first(number)?.signed else { return nil }
        guard let value = Self(exactly: found) else { throw FieldError.unreadable }
        return value
    }
}

extension Int32: FieldValue {}
extension Int64: FieldValue {}

extension LocalMessageID: FieldValue {}
extension Position: FieldValue, ListElement {
    /// Reads every field of the number.
    public static func _readList(_ number: UInt32, from source: FieldSource) throws -> [Position]? {
        var positions: [Position] = []
        source.reader.forEachNumber(number) { positions.append(Position($0)) }
        return positions
    }
}

extension Timestamp: FieldValue {
    /// Milliseconds.
    public static var fieldType: FieldType { FieldType(.time) }
    /// ``unknown``.
    public static var _placeholder: Timestamp { .unknown }
    /// Writes the milliseconds as a varint.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        writer.field(number, UInt64(bitPattern: milliseconds))
    }
    /// Reads milliseconds.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> Timestamp? {
        (source.first(number)?.number).map { Timestamp(milliseconds: Int64(bitPattern: $0)) }
    }
    /// Whether the time is outside of the years 1970 to 9999.
    public func _problem(_ rule: FieldRule) -> String? {
        isValid ? nil : "is \(milliseconds) ms; 0 to \(Timestamp.latest.milliseconds) are allowed"
    }
}

extension Optional: FieldValue where Wrapped: FieldValue {
    /// The wrapped type, optional.
    public static var fieldType: FieldType {
        FieldType(Wrapped.fieldType.kind, isOptional: true, isList: Wrapped.fieldType.isList)
    }
    /// The class of the wrapped type.
    public static var _fieldClass: FieldClass { Wrapped._fieldClass }
    /// As the wrapped type.
    public static var _elementFields: [FieldDescription] { Wrapped._elementFields }
    /// Nil.
    public static var _placeholder: Wrapped? { nil }
    /// Writes nothing for nil.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        try self?._write(number, to: &writer)
    }
    /// Reads the wrapped value; there is none where the record lacks the field.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> Wrapped?? {
        .some(try Wrapped._read(number, from: source))
    }
    /// The same.
    public static func _value(_ number: UInt32, from source: FieldSource) throws -> Wrapped? {
        try Wrapped._read(number, from: source)
    }
    /// As the wrapped value; nil can be recorded.
    public func _problem(_ rule: FieldRule) -> String? { self?._problem(rule) }
    /// The wrapped value in words.
    public var _text: String? { self?._text }
}
