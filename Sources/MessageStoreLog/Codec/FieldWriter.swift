/// Writes numbered fields in the Protocol Buffers wire format.
///
/// Format: <https://protobuf.dev/programming-guides/encoding/>, wire types 0 (varint) and 2 (length-delimited) only.
/// Readers skip numbers they do not know, so fields can be added without breaking old readers, and
/// `protoc --decode_raw` shows any payload.
extension ByteWriter {
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
        append(value)
    }

    /// Writes the field only where the value is not nil; empty bytes are written.
    package mutating func field(_ number: UInt32, _ value: [UInt8]?) {
        guard let value else { return }
        varint(UInt64(number) << 3 | 2)
        varint(UInt64(value.count))
        append(value)
    }

    /// Writes each pair as a nested message of the fields 1 and 2, in the order of the keys' bytes.
    package mutating func field(_ number: UInt32, pairs: [String: String]) {
        for (key, value) in pairs.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            var nested = ByteWriter(capacity: 16 + key.utf8.count + value.utf8.count)
            nested.field(1, key)
            nested.field(2, value)
            field(number, nested.bytes.copied)
        }
    }

    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
