/// Writes numbered fields in the Protocol Buffers wire format.
///
/// Format: <https://protobuf.dev/programming-guides/encoding/>, wire types 0 (varint) and 2 (length-delimited) only.
/// Readers skip numbers they do not know, so fields can be added without breaking old readers, and
/// `protoc --decode_raw` shows any payload.
package protocol FieldSink: ~Copyable {
    mutating func append(_ byte: UInt8)
    mutating func append(_ bytes: UnsafeRawBufferPointer)
}

extension FieldSink where Self: ~Copyable {
    package mutating func field(_ number: UInt32, _ value: UInt64) {
        varint(UInt64(number) << 3)
        varint(value)
    }

    /// Writes the field only where the value is true.
    package mutating func field(_ number: UInt32, _ value: Bool) {
        if value { field(number, 1) }
    }

    /// ZigZag, so that small negative numbers stay short.
    package mutating func field(_ number: UInt32, signed value: Int64) {
        field(number, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// Writes the field only where the value is not nil; an empty string is written.
    package mutating func field(_ number: UInt32, _ value: String?) {
        guard let value else { return }
        varint(UInt64(number) << 3 | 2)
        varint(UInt64(value.utf8.count))
        value.withUTF8Bytes { append($0) }
    }

    /// Writes the field only where the value is not nil; empty bytes are written.
    package mutating func field(_ number: UInt32, _ value: [UInt8]?) {
        guard let value else { return }
        varint(UInt64(number) << 3 | 2)
        varint(UInt64(value.count))
        value.withUnsafeBytes { append($0) }
    }

    /// Writes each pair as a nested message of the fields 1 and 2, in the order of the keys' bytes.
    package mutating func field(_ number: UInt32, pairs: [String: String]) {
        for (key, value) in pairs.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            var nested = FieldWriter()
            nested.field(1, key)
            nested.field(2, value)
            field(number, nested.bytes)
        }
    }

    @inline(__always) package mutating func varint(_ value: UInt64) {
        if value < 0x80 { append(UInt8(truncatingIfNeeded: value)) } else { longVarint(value) }
    }

    private mutating func longVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

extension ByteWriter: FieldSink {}

/// Fields on their way into a record, and the symbols that replace their strings.
///
/// A copy writes to the same bytes, with the same symbols.
public struct FieldWriter: FieldSink {
    private let buffer = Shared(ByteWriter(capacity: 64))
    /// The bytes written so far.
    package var bytes: [UInt8] { buffer.pointer.pointee.copied }
    /// How many they are.
    package var count: Int { buffer.pointer.pointee.count }
    /// The numbers that replace strings; nil if there is no log.
    var symbols: Shared<PendingSymbols>?
    /// Whether users and conversations are written as their numbers, as in the fields of built-in types, or in full: so
    /// that bytes mean the same in every log.
    var usesSymbols = false

    package init() {}

    @inline(__always) package mutating func append(_ byte: UInt8) { buffer.pointer.pointee.append(byte) }
    package mutating func append(_ other: UnsafeRawBufferPointer) { buffer.pointer.pointee.append(other) }

    /// Drops the bytes; their room and the symbols stay.
    mutating func removeAll() { buffer.pointer.pointee.removeAll() }

    /// Copies the bytes to memory.
    @inline(__always) func copy(to target: UnsafeMutableRawPointer) { buffer.pointer.pointee.copy(to: target) }

    /// The number that replaces a user's id.
    mutating func symbol(_ user: UserID) throws -> UInt32 {
        guard let number = try symbols?.pointer.pointee.number(of: user) else {
            preconditionFailure("a user without a log")
        }
        return number
    }

    /// The number that replaces a conversation's key.
    mutating func symbol(_ conversation: ConversationKey) throws -> UInt32 {
        guard let number = try symbols?.pointer.pointee.number(of: conversation) else {
            preconditionFailure("a conversation without a log")
        }
        return number
    }

    /// The number that replaces a content type.
    mutating func symbol(_ type: ContentType) throws -> UInt32 {
        guard let number = try symbols?.pointer.pointee.number(of: type) else {
            preconditionFailure("a content type without a log")
        }
        return number
    }

    /// Writes a field of packed varints.
    mutating func packed<Value>(
        _ number: UInt32, _ values: [Value], _ code: (Value, inout FieldWriter) throws -> UInt32
    ) throws {
        let codes = try values.map { try code($0, &self) }
        varint(UInt64(number) << 3 | 2)
        // Seven bits of a code are in a byte.
        varint(codes.reduce(0) { $0 + UInt64(max(UInt32.bitWidth - $1.leadingZeroBitCount, 1) + 6) / 7 })
        for code in codes { varint(UInt64(code)) }
    }

    /// Writes a field that holds fields.
    mutating func group(_ number: UInt32, _ body: (inout FieldWriter) throws -> Void) rethrows {
        var nested = FieldWriter()
        nested.usesSymbols = usesSymbols
        nested.symbols = symbols
        try body(&nested)
        field(number, nested.bytes)
    }
}

/// A value that all copies of a reference to it share.
///
/// It is reached through a pointer, to spare the exclusivity checks of class properties.
final class Shared<Value: ~Copyable> {
    let pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init(_ value: consuming Value) { pointer.initialize(to: value) }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}
