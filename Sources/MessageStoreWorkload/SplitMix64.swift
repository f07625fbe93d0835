/// A small seeded generator of random numbers whose stream is the same on every machine and Swift version.
///
/// The algorithm is SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators"
/// (OOPSLA 2014), with the constants of Vigna's public-domain `splitmix64.c`. It is not fit for secrets.
///
/// The draws below replace those of the standard library (`Int.random(in:using:)` and others), whose way of
/// using the generator is not promised to stay the same between Swift versions.
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

    /// Returns a number in `0 ..< bound`, or 0 where `bound` is 0.
    ///
    /// Takes the high half of a 64 x 64-bit product (Lemire, "Fast Random Integer Generation in an Interval", 2019)
    /// without the rejection step: one draw always, with a bias below `bound / 2^64`.
    public mutating func next(upperBound bound: UInt64) -> UInt64 {
        next().multipliedFullWidth(by: bound).high
    }

    /// Returns an index in `0 ..< count`, or 0 where `count` is not positive.
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
