/// Writes numbers as lower-case hexadecimal digits into byte buffers.
enum Hexadecimal {
    /// Appends the low `4 * digits` bits of a number, with leading zeros.
    static func append(_ value: UInt64, digits: Int, to bytes: inout [UInt8]) {
        for place in stride(from: digits - 1, through: 0, by: -1) {
            let nibble = UInt8(truncatingIfNeeded: value >> UInt64(4 * place)) & 0xF
            bytes.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
        }
    }
}
