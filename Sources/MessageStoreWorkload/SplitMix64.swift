/// A small seeded generator of random numbers whose stream is the same on every machine and Swift version.
///
/// The algorithm is SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators"
/// (OOPSLA 2014), with the constants of Vigna's public-domain `splitmix64.c`. It is not fit for secrets.
///
/// The draws below replace the standard library's (`Int.random(in:using:)` and others), whose way of using the
/// generator is not promised to stay the same between Swift versions.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator; equal seeds give equal streams.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= Self.increment
        return Self.mix(state)
    }

    /// Returns a number in `0 ..< bound`, or 0 if `bound` is 0.
    ///
    /// Takes the high half of a 64 x 64-bit product (Lemire, "Fast Random Integer Generation in an Interval", 2019)
    /// without the rejection step: one draw always, with a bias below `bound / 2^64`.
    public mutating func next(upperBound bound: UInt64) -> UInt64 {
        next().multipliedFullWidth(by: bound).high
    }

    /// Returns an index in `0 ..< count`, or 0 if `count` is not positive.
    public mutating func nextIndex(_ count: Int) -> Int {
        Int(next(upperBound: UInt64(max(count, 0))))
    }

    /// Returns a number in `0 ..< 1`, a multiple of 2^-53: the 53 top bits of one draw.
    public mutating func nextUnit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Returns true with the given probability; always takes one draw.
    public mutating func chance(_ probability: Double) -> Bool {
        nextUnit() < probability
    }

    /// The odd integer nearest to 2^64 divided by the golden ratio, the step of the generator's state.
    static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Scrambles 64 bits; different inputs give different outputs, so it also makes unique ids from ordinals.
    package static func mix(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

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

/// Powers computed from additions, multiplications and divisions alone.
///
/// IEEE 754 fixes the result of these operations to the last bit, but not that of a C library's `pow`, which
/// differs between platforms. Tables built with this function are the same everywhere.
enum PortablePower {
    /// The natural logarithm of 2, rounded to a `Double`.
    private static let ln2 = 0.693_147_180_559_945_3

    /// Returns `base` to the power of `exponent` with a relative error below 1e-12 for results in 1e-30 ... 1e30.
    ///
    /// A base that is not a positive normal number, or a result beyond 2^±1000, gives 0.
    static func power(_ base: Double, _ exponent: Double) -> Double {
        guard base.isNormal, base > 0 else { return 0 }
        return exponential(exponent * logarithm(base))
    }

    /// ln(2^k m) = k ln 2 + 2 artanh((m - 1) / (m + 1)), with m in 1 ..< 2: the series falls by 9 a term.
    private static func logarithm(_ value: Double) -> Double {
        let ratio = (value.significand - 1) / (value.significand + 1)
        let square = ratio * ratio
        var sum = 0.0
        for divisor in stride(from: 33, through: 1, by: -2) {
            sum = sum * square + 1 / Double(divisor)
        }
        return Double(value.exponent) * ln2 + 2 * ratio * sum
    }

    /// e^x = 2^k e^r with |r| at most ln 2: 20 terms of the Taylor series reach the last bit.
    private static func exponential(_ value: Double) -> Double {
        guard abs(value / ln2) <= 1_000 else { return 0 }
        let scale = Int(value / ln2)
        let rest = value - Double(scale) * ln2
        var sum = 1.0
        for term in stride(from: 20, through: 1, by: -1) {
            sum = 1 + sum * rest / Double(term)
        }
        return Double(sign: .plus, exponent: scale, significand: sum)
    }
}
