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
