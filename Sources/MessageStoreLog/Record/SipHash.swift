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

/// The 64-bit xxHash: the store's one hash, for checksums, identity keys and digests.
///
/// Algorithm and test vectors: Yann Collet, "xxHash fast digest algorithm", version 0.1.1
/// (<https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>). It is not cryptographic. The same bytes
/// give the same hash on every machine and in every version, since hashes are stored in files.
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    package static func hash(_ bytes: RawSpan, seed: UInt64 = 0) -> UInt64 {
        bytes.withUnsafeBytes { hash($0, seed: seed) }
    }

    /// The hash of a string's UTF-8 bytes.
    package static func hash(_ string: String, seed: UInt64 = 0) -> UInt64 {
        string.withUTF8Bytes { hash($0, seed: seed) }
    }

    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        guard let start = bytes.baseAddress else { return avalanche(seed &+ prime5) }
        let count = bytes.count
        var offset = 0
        var hash: UInt64
        if count >= 32 {
            var lane1 = seed &+ prime1 &+ prime2
            var lane2 = seed &+ prime2
            var lane3 = seed
            var lane4 = seed &- prime1
            while offset &+ 32 <= count {
                lane1 = round(lane1, word(start, offset))
                lane2 = round(lane2, word(start, offset &+ 8))
                lane3 = round(lane3, word(start, offset &+ 16))
                lane4 = round(lane4, word(start, offset &+ 24))
                offset &+= 32
            }
            hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
            hash = merge(merge(merge(merge(hash, lane1), lane2), lane3), lane4)
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(count)
        forEachRest(start, from: offset, to: count) { input, bits, factor, addend in
            hash = rotate(hash ^ input, bits) &* factor &+ addend
        }
        return avalanche(hash)
    }

    /// The hashes of the same bytes by two seeds, in one pass where the bytes are few.
    package static func hashes(_ bytes: RawSpan, seeds: (UInt64, UInt64)) -> (UInt64, UInt64) {
        bytes.withUnsafeBytes { bytes in
            guard bytes.count < 32, let start = bytes.baseAddress else {
                return (hash(bytes, seed: seeds.0), hash(bytes, seed: seeds.1))
            }
            var first = seeds.0 &+ prime5 &+ UInt64(bytes.count)
            var second = seeds.1 &+ prime5 &+ UInt64(bytes.count)
            forEachRest(start, from: 0, to: bytes.count) { input, bits, factor, addend in
                first = rotate(first ^ input, bits) &* factor &+ addend
                second = rotate(second ^ input, bits) &* factor &+ addend
            }
            return (avalanche(first), avalanche(second))
        }
    }

    /// Calls `body` with each value that is mixed into a hash for the bytes that fill no block of 32.
    @inline(__always)
    private static func forEachRest(
        _ start: UnsafeRawPointer, from first: Int, to count: Int,
        _ body: (_ input: UInt64, _ bits: UInt64, _ factor: UInt64, _ addend: UInt64) -> Void
    ) {
        var offset = first
        while offset &+ 8 <= count {
            body(round(0, word(start, offset)), 27, prime1, prime4)
            offset &+= 8
        }
        if offset &+ 4 <= count {
            let half = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            body(UInt64(half) &* prime1, 23, prime2, prime3)
            offset &+= 4
        }
        while offset < count {
            body(UInt64(start.load(fromByteOffset: offset, as: UInt8.self)) &* prime5, 11, prime1, 0)
            offset &+= 1
        }
    }

    @inline(__always)
    private static func word(_ start: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value &<< bits | value &>> (64 &- bits)
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    @inline(__always)
    private static func avalanche(_ value: UInt64) -> UInt64 {
        var hash = value
        hash = (hash ^ hash &>> 33) &* prime2
        hash = (hash ^ hash &>> 29) &* prime3
        return hash ^ hash &>> 32
    }
}

extension String {
    /// Runs `body` with the string's UTF-8 bytes, without a copy where they are contiguous.
    @inline(__always)
    package func withUTF8Bytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // Not by `withUTF8`, which needs a copy of the string's reference.
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        var string = self
        return string.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Copies the string's UTF-8 bytes to memory.
    @inline(__always)
    func copyUTF8(to target: UnsafeMutableRawPointer) {
        withUTF8Bytes { UnsafeMutableRawBufferPointer(start: target, count: $0.count).copyMemory(from: $0) }
    }

    /// Whether both strings have the same bytes; `==` also takes canonically equivalent ones for equal.
    package func hasSameBytes(as other: String) -> Bool {
        #if _pointerBitWidth(_64)
        // Short strings hold their bytes themselves, and copies of long ones share them.
        let (own, others) = (
            unsafeBitCast(self, to: (UInt64, UInt64).self), unsafeBitCast(other, to: (UInt64, UInt64).self)
        )
        if own == others { return true }
        #endif
        let areEqual = utf8.withContiguousStorageIfAvailable { first in
            other.utf8.withContiguousStorageIfAvailable { second in
                first.count == second.count
                    && ByteOrder.areEqual(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer(second))
            }
        }
        // Strings of Foundation on Apple's platforms may have no bytes at hand.
        return (areEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
