/// SipHash-2-4 with 128 bits: nobody can compute it without its key.
///
/// Algorithm and test vectors: Jean-Philippe Aumasson and Daniel J. Bernstein, "SipHash: a fast short-input PRF"
/// (<https://github.com/veorq/SipHash>).
struct SipHash {
    private var (first, second, third, fourth): (UInt64, UInt64, UInt64, UInt64)

    /// - Parameter key: 16 bytes.
    static func hash(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var state = SipHash(key: (word(key, 0), word(key, 8)))
        let end = bytes.count & ~7
        for offset in stride(from: 0, to: end, by: 8) { state.add(word(bytes, offset)) }
        state.add(word(bytes, end) | UInt64(bytes.count) << 56)
        state.third ^= 0xEE
        let low = state.finished()
        state.second ^= 0xDD
        return [low, state.finished()].flatMap { withUnsafeBytes(of: $0.littleEndian) { [UInt8]($0) } }
    }

    private init(key: (UInt64, UInt64)) {
        (first, second) = (key.0 ^ 0x736F_6D65_7073_6575, key.1 ^ 0x646F_7261_6E64_6F6D ^ 0xEE)
        (third, fourth) = (key.0 ^ 0x6C79_6765_6E65_7261, key.1 ^ 0x7465_6462_7974_6573)
    }

    /// Up to eight bytes from an offset on, little-endian.
    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes[offset..<min(offset + 8, bytes.count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func add(_ word: UInt64) {
        fourth ^= word
        mix(rounds: 2)
        first ^= word
    }

    private mutating func finished() -> UInt64 {
        mix(rounds: 4)
        return first ^ second ^ third ^ fourth
    }

    private mutating func mix(rounds: Int) {
        for _ in 0..<rounds {
            first &+= second
            second = Self.rotate(second, 13) ^ first
            first = Self.rotate(first, 32)
            third &+= fourth
            fourth = Self.rotate(fourth, 16) ^ third
            first &+= fourth
            fourth = Self.rotate(fourth, 21) ^ first
            third &+= second
            second = Self.rotate(second, 17) ^ third
            third = Self.rotate(third, 32)
        }
    }

    private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
}
