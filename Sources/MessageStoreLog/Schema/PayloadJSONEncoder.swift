#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A declared field's name as a key.
struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: StaticString) { stringValue = name.description }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Bytes as base64, whatever the encoder does with arrays.
struct Base64: Codable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let data = Data(base64Encoded: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64")
        }
        bytes = [UInt8](data)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes).base64EncodedString())
    }
}

/// Writes each field of a payload under its name; nil has no key.
struct PayloadJSONEncoder: FieldEncoder {
    var container: KeyedEncodingContainer<FieldName>
    let omitsContent: Bool

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        try encode(value, FieldName(field.name))
    }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        if !omitsContent { try encode(value, FieldName(field.name)) }
    }

    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        try encode(value, FieldName(field.name))
    }

    private mutating func encode<Value: FieldValue>(_ value: Value, _ key: FieldName) throws {
        if Value.fieldType.kind == .bytes {
            // An empty list of any type casts to one of bytes, so the type is asked first; nil does not cast.
            if let bytes = value as? [UInt8] { try container.encode(Base64(bytes), forKey: key) }
        } else if !Value.fieldType.isOptional || value._text != nil {
            try container.encode(value, forKey: key)
        }
    }
}

/// Reads each field of a payload by its name; a key may be missing where the field is optional.
struct PayloadJSONDecoder: FieldDecoder {
    let container: KeyedDecodingContainer<FieldName>

    func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value { try decode(FieldName(field.name)) }

    func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value { try decode(FieldName(field.name)) }

    func decode<Slot: EnvelopeSlot>(_ field: SlotField<Slot>) throws -> Slot.Value {
        try decode(FieldName(field.name))
    }

    private func decode<Value: FieldValue>(_ key: FieldName) throws -> Value {
        if Value.fieldType.isOptional, try !container.contains(key) || container.decodeNil(forKey: key) {
            return try Value._placeholder
        }
        if Value.fieldType.kind == .bytes {
            let bytes = try container.decode(Base64.self, forKey: key).bytes
            if let value = bytes as? Value { return value }
        }
        return try container.decode(Value.self, forKey: key)
    }
}
