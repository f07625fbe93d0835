@_spi(Storage) internal import MessageStoreLog

/// How a row stores a value as a numbered field.
struct RowField<Value> {
    /// The type, as the document of the format names it.
    let typeName: String
    /// Whether each field of the number is one of several values; otherwise the first is the value.
    var isList = false
    /// Takes over a field.
    let take: (_ value: inout Value, _ field: borrowing FieldReader.Field) -> Void
    /// Writes the field; nothing where there is no value.
    let write: (_ value: Value, _ number: UInt32, _ writer: inout ByteWriter) -> Void
    /// The value in words, which may be a person's; nil where there is none.
    let words: (_ value: Value) -> RowText?
}

extension RowField where Value == String? {
    static var string: Self {
        Self(typeName: "string") {
            $0 = $1.string
        } write: {
            $2.field($1, $0)
        } words: {
            $0.map { .personal($0, byteCount: $0.utf8.count) }
        }
    }
}

extension RowField where Value == [String] {
    /// One field for each string.
    static var strings: Self {
        Self(typeName: "[string]", isList: true) {
            $0.append($1.string)
        } write: { strings, number, writer in
            for string in strings { writer.field(number, string) }
        } words: { strings in
            strings.isEmpty
                ? nil
                : .personal(
                    strings.joined(separator: " "), byteCount: strings.reduce(0) { $0 + $1.utf8.count })
        }
    }
}

extension RowField where Value == [UInt8]? {
    static var bytes: Self {
        Self(typeName: "bytes") {
            $0 = $1.bytes.copied
        } write: {
            $2.field($1, $0)
        } words: {
            $0.map { .plain("\($0.count) bytes") }
        }
    }
}

extension RowField where Value == UInt8? {
    static var number: Self {
        Self(typeName: "number") {
            $0 = UInt8(truncatingIfNeeded: $1.number)
        } write: { value, number, writer in
            if let value { writer.field(number, UInt64(value)) }
        } words: {
            $0.map { .plain("\($0)") }
        }
    }
}

extension RowField where Value == UserNumber {
    /// A user; none is not written.
    static var user: Self {
        Self(typeName: "user") {
            $0 = UserNumber(rawValue: UInt32(truncatingIfNeeded: $1.number))
        } write: { value, number, writer in
            if value != .none { writer.field(number, UInt64(value.rawValue)) }
        } words: {
            $0 == .none ? nil : .user($0.rawValue)
        }
    }
}

extension RowField where Value == [String: String] {
    /// String pairs; nothing is written where there are none.
    static var pairs: Self {
        Self(typeName: "pairs") {
            $0 = IndexedAttributes($1.bytes).values
        } write: { value, number, writer in
            if !value.isEmpty { IndexedAttributes(value).write(number, to: &writer) }
        } words: { pairs in
            let text = pairs.ordered { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            return pairs.isEmpty ? nil : .personal(text, byteCount: text.utf8.count)
        }
    }
}

extension RowField where Value == AttributeValues {
    static var attributeValues: Self {
        Self(typeName: "values") {
            $0 = AttributeValues($1.bytes)
        } write: { values, number, writer in
            if !values.pairs.isEmpty { writer.field(number, values.bytes) }
        } words: { values in
            let text = values.pairs.map { "\($0.name)=\($0.value.words)" }.joined(separator: " ")
            return values.pairs.isEmpty ? nil : .personal(text, byteCount: text.utf8.count)
        }
    }
}
