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
