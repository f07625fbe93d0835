/// The content of large objects, made faster than byte by byte.
package enum LargeObject {
    /// Blocks of 4,096 bytes that depend on the seed; each begins with its number.
    package static func bytes(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
        let block = (8..<4096).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5) ^ seed }
        let blocks = (0..<count / 4096 + 1).flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) + block }
        return [UInt8](blocks.prefix(count))
    }
}
