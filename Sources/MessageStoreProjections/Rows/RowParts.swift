/// Goes through the named parts of a row, in the order of its bytes.
///
/// A row type names its parts once, in ``ViewRow/describe(_:)``. What happens to them depends on who goes through them:
/// ``RowReader`` gives them values, `ByteWriter` takes their values, ``RowLayout`` notes their names and types, and
/// ``RowTexts`` collects their values for people.
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

/// What a part of a row is about, for those who show it.
enum RowMeaning {
    /// What its type says.
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
