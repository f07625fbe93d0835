/// A type that fields of events can have.
///
/// The library's ids and times conform, as do `Bool`, integers, `String`, `[UInt8]`, optionals, and lists of strings,
/// users and messages. Another type conforms by being `RawRepresentable` by one of them:
///
/// ```swift
/// struct Colour: RawRepresentable, FieldValue { let rawValue: UInt8 }
/// ```
///
/// Underscored requirements are the library's; do not implement them.
public protocol FieldValue: Hashable, Sendable, Codable {
    /// How the log stores the value.
    static var fieldType: FieldType { get }
    /// The class of what values say about people if a field's declaration does not decide it.
    static var _fieldClass: FieldClass { get }
    /// The fields of the groups that the value lists.
    static var _elementFields: [FieldDescription] { get }
    /// The value of the field in a record that lacks it.
    static var _placeholder: Self { get throws }
    /// Whether a record that lacks the field is damaged.
    static var _isRequired: Bool { get }
    /// Writes the value under a number.
    func _write(_ number: UInt32, to writer: inout FieldWriter) throws
    /// Reads the value of a number; nil if there is none.
    static func _read(_ number: UInt32, from source: FieldSource) throws -> Self?
    /// Reads the value of a number, or gives the placeholder where there is none.
    static func _value(_ number: UInt32, from source: FieldSource) throws -> Self
    /// The problem with the value, as the end of a sentence that begins with the field's name; nil if it can be
    /// recorded.
    func _problem(_ rule: FieldRule) -> String?
    /// The value in words; nil if there is none.
    var _text: String? { get }
}

extension FieldValue {
    /// As the type of the stored values has it.
    public static var _fieldClass: FieldClass { fieldType.defaultClass }
    /// None: no list of groups.
    public static var _elementFields: [FieldDescription] { [] }
    /// Whether a record that lacks the field is damaged.
    @inlinable public static var _isRequired: Bool { false }
    /// The result of ``_read(_:from:)``, or the placeholder.
    ///
    /// Each type has its own: Swift looks the type of an optional up where code for any value reads one.
    public static func _value(_ number: UInt32, from source: FieldSource) throws -> Self {
        if let value = try _read(number, from: source) { return value }
        guard !_isRequired else { throw FieldError.unreadable }
        return try _placeholder
    }
    /// Every value can be recorded.
    @inlinable public func _problem(_ rule: FieldRule) -> String? { nil }
    /// As Swift prints the value.
    public var _text: String? { "\(self)" }
}

extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
    /// The type of the raw value.
    public static var fieldType: FieldType { RawValue.fieldType }
    /// The raw value's class; a choice between some values, none of them empty, is structure.
    public static var _fieldClass: FieldClass { (try? _placeholder) == nil ? .structure : RawValue._fieldClass }
    /// The value of the raw placeholder; that there is none is an error.
    public static var _placeholder: Self {
        get throws {
            guard let value = Self(rawValue: try RawValue._placeholder) else { throw FieldError.unreadable }
            return value
        }
    }
    /// Writes the raw value.
    public func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        try rawValue._write(number, to: &writer)
    }
    /// Reads a raw value; one that the type does not have is an error.
    public static func _read(_ number: UInt32, from source: FieldSource) throws -> Self? {
        guard let raw = try RawValue._read(number, from: source) else { return nil }
        guard let value = Self(rawValue: raw) else { throw FieldError.unreadable }
        return value
    }
    /// As the raw value.
    public func _problem(_ rule: FieldRule) -> String? { rawValue._problem(rule) }
}

/// A field cannot be read; the decoder of the record adds which one.
enum FieldError: Error { case unreadable }

/// The fields of a record and the strings that its numbers name.
public struct FieldSource: ~Escapable {
    let reader: FieldReader
    /// nil if users and conversations are stored in full.
    let symbols: SymbolReader?

    @_lifetime(copy reader)
    init(_ reader: FieldReader, _ symbols: SymbolReader?) {
        self.reader = reader
        self.symbols = symbols
    }

    /// The first field of this number, or nil.
    @_lifetime(copy self)
    func first(_ number: UInt32) -> FieldReader.Field? { reader.first(number) }
}

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
    /// Reads the wrapped value; there is none if the record lacks the field.
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
