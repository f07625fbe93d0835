@_spi(Storage) internal import MessageStoreLog

/// Goes through the named parts of a row, in the order of its bytes.
///
/// A row type names its parts once, in ``ViewRow/describe(_:)``. The caller that goes through them decides what happens
/// to them: ``RowReader`` gives them values, `ByteWriter` takes their values, ``RowLayout`` notes their names and
/// types, and ``RowTexts`` collects their values for people.
protocol RowParts: ~Copyable, ~Escapable {
    /// A number, a set of flags or a code, little-endian.
    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning)

    /// A number, big-endian.
    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning)

    /// Bytes: so many, all that are left, or, for a count below zero, all but so many of those.
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning)

    /// A string: all bytes that are left.
    mutating func string(_ name: StaticString, _ value: inout String)

    /// A numbered field. A row that has fields ends in them.
    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>)

    /// Whether the row goes on, for rows whose last parts may be missing: a reader answers by the bytes, a writer by
    /// the argument.
    mutating func continues(_ hasMore: Bool) -> Bool
}

extension RowParts where Self: ~Copyable & ~Escapable {
    /// A number, a set of flags or a code, little-endian.
    @inline(__always)
    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value) {
        part(name, &value, .plain)
    }

    /// All bytes that are left.
    @inline(__always)
    mutating func rest(_ name: StaticString, _ value: inout [UInt8], _ meaning: RowMeaning = .plain) {
        bytes(name, &value, count: nil, meaning)
    }

    /// A place in a conversation's order: so many bytes, or all that are left.
    @inline(__always)
    mutating func order(_ name: StaticString, _ value: inout OrderKey, count: Int? = nil) {
        bytes(name, &value.bytes, count: count, .order)
    }
}

/// The subject of a row's part, for callers that show it.
enum RowMeaning {
    /// The meaning that its type has.
    case plain
    /// Milliseconds since 1970.
    case time
    /// A user, as a number of the log's symbols.
    case user
    /// A conversation, as a number of the log's symbols.
    case conversation
    /// A content type, as a number of the log's symbols.
    case contentType
    /// A place in a conversation's order.
    case order
    /// The server's id of a message.
    case serverID
    /// An id, as the bytes of a string.
    case id
    /// A person's words, as the bytes of a string.
    case words
    /// A hash.
    case hash
    /// The length of a later part.
    case length
    /// The number of a conversation's kind.
    case kind
    /// The number of a notification level.
    case level
}

/// How a row stores a value as a numbered field.
struct RowField<Value> {
    /// The type, as the document of the format names it.
    let typeName: String
    /// Whether each field of the number is one of several values; otherwise the first is the value.
    var isList = false
    /// Takes over a field.
    let take: (_ value: inout Value, _ field: borrowing FieldReader.Field) -> Void
    /// Writes the field; nothing if there is no value.
    let write: (_ value: Value, _ number: UInt32, _ writer: inout ByteWriter) -> Void
    /// The value in words, which may be a person's; nil if there is none.
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
                : .personal(strings.joined(separator: " "), byteCount: strings.reduce(0) { $0 + $1.utf8.count })
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

/// Takes the values of a row's parts.
extension ByteWriter: RowParts {
    @inline(__always)
    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        append(value.stored)
    }

    @inline(__always)
    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        appendBigEndian(value.stored)
    }

    @inline(__always)
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count: Int?, _ meaning: RowMeaning) {
        append(value)
    }

    @inline(__always)
    mutating func string(_ name: StaticString, _ value: inout String) { append(value) }

    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) {
        kind.write(value, number, &self)
    }

    @inline(__always)
    mutating func continues(_ hasMore: Bool) -> Bool { hasMore }
}
