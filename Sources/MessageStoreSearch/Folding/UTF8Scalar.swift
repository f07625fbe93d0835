/// Scalars as UTF-8, without the checks of whole texts that `String` makes.
enum UTF8Scalar {
    /// Reads the scalar that begins at a byte which is not ASCII; nil where no valid one does.
    @inline(__always)
    static func decode(_ text: UnsafeRawBufferPointer, at index: Int) -> (scalar: UInt32, length: Int)? {
        let first = UInt32(text[index])
        switch first {
        case 0xE0...0xEF:
            guard let second = continuation(text, index + 1), let third = continuation(text, index + 2) else {
                return nil
            }
            let scalar = (first & 0x0F) << 12 | second << 6 | third
            // Not a longer form of a shorter one, and no surrogate.
            return scalar >= 0x800 && scalar & 0xF800 != 0xD800 ? (scalar, 3) : nil
        case 0xC2...0xDF:
            guard let second = continuation(text, index + 1) else { return nil }
            return ((first & 0x1F) << 6 | second, 2)
        case 0xF0...0xF4:
            guard let second = continuation(text, index + 1), let third = continuation(text, index + 2),
                let fourth = continuation(text, index + 3)
            else { return nil }
            let scalar = (first & 0x07) << 18 | second << 12 | third << 6 | fourth
            return scalar >= 0x10000 && scalar <= 0x10FFFF ? (scalar, 4) : nil
        default: return nil
        }
    }

    /// The six bits of a byte that continues a scalar.
    @inline(__always)
    private static func continuation(_ text: UnsafeRawBufferPointer, _ index: Int) -> UInt32? {
        guard index < text.count, text[index] & 0xC0 == 0x80 else { return nil }
        return UInt32(text[index] & 0x3F)
    }

    @inline(__always)
    static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        switch scalar {
        case ..<0x80: bytes.append(UInt8(scalar))
        case ..<0x800:
            bytes.append(UInt8(0xC0 | scalar >> 6))
            bytes.append(UInt8(0x80 | scalar & 0x3F))
        case ..<0x10000:
            bytes.append(UInt8(0xE0 | scalar >> 12))
            bytes.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            bytes.append(UInt8(0x80 | scalar & 0x3F))
        default:
            bytes.append(UInt8(0xF0 | scalar >> 18))
            bytes.append(UInt8(0x80 | scalar >> 12 & 0x3F))
            bytes.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            bytes.append(UInt8(0x80 | scalar & 0x3F))
        }
    }
}
