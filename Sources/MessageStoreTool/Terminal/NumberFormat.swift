/// Numbers, times and sizes as people read them, the same in every locale.
enum NumberFormat {
    /// An integer with a comma between groups of three digits, such as `1,234,567`.
    static func count(_ value: some BinaryInteger) -> String {
        let digits = Array(String(value.magnitude))
        var result = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0 && (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return result
    }

    /// A number with what is counted, such as `1 row differs` or `1,234 rows differ`.
    static func count(_ value: some BinaryInteger, _ one: String, _ many: String) -> String {
        "\(count(value)) \(value == 1 ? one : many)"
    }

    /// The exact number of bytes, such as `1 byte` or `12345 bytes`.
    static func exactBytes(_ value: Int) -> String { value == 1 ? "1 byte" : "\(value) bytes" }

    /// A number of bytes in decimal units, with one place after the point from 1 kB on, such as `12.3 MB`.
    static func bytes(_ value: UInt64) -> String {
        guard value >= 1_000 else { return "\(value) B" }
        var tenthOfUnit: UInt64 = 100
        for unit in ["kB", "MB", "GB", "TB", "PB"] {
            let tenths = roundedQuotient(value, tenthOfUnit)
            if tenths < 10_000 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
            tenthOfUnit *= 1_000
        }
        let tenths = roundedQuotient(value, tenthOfUnit)
        return "\(tenths / 10).\(tenths % 10) EB"
    }

    /// How many a second, such as `12,345/s`, below 10 with one place after the point; `-/s` if no time went by.
    static func rate(_ count: Int, over duration: Duration) -> String {
        guard duration > .zero else { return "-/s" }
        let perSecond = Double(count) / seconds(duration)
        if perSecond >= 0 && perSecond < 9.95, let tenths = Int64(exactly: (perSecond * 10).rounded()) {
            return "\(tenths / 10).\(tenths % 10)/s"
        }
        guard let whole = Int64(exactly: perSecond.rounded()) else { return "-/s" }
        return "\(self.count(whole))/s"
    }

    /// A duration in its two greatest units, such as `350 ms`, `2.4 s`, `3 min 05 s` or `1 h 02 min`.
    ///
    /// What is left over is cut off, and a negative duration counts as none.
    static func duration(_ value: Duration) -> String {
        let (whole, attoseconds) = min(max(value, .zero), greatestDuration).components
        switch whole {
        case 0 where attoseconds < 1_000_000_000_000_000: return "\(attoseconds / 1_000_000_000_000) µs"
        case 0: return "\(attoseconds / 1_000_000_000_000_000) ms"
        case ..<60: return "\(whole).\(attoseconds / 100_000_000_000_000_000) s"
        case ..<3_600: return "\(whole / 60) min \(padded(whole % 60, 2)) s"
        case ..<86_400: return "\(whole / 3_600) h \(padded(whole / 60 % 60, 2)) min"
        default: return "\(count(whole / 86_400)) d \(whole / 3_600 % 24) h"
        }
    }

    /// A duration in seconds, as near as a `Double` comes; a negative duration counts as none.
    static func seconds(_ value: Duration) -> Double {
        let (whole, attoseconds) = min(max(value, .zero), greatestDuration).components
        return Double(whole) + Double(attoseconds) * 1e-18
    }

    /// Decimal digits, with zeros in front up to `width` of them; the sign is dropped.
    static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value.magnitude)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    // `Duration.components` has no room for more seconds.
    private static let greatestDuration: Duration = .seconds(Int64.max)

    private static func roundedQuotient(_ value: UInt64, _ divisor: UInt64) -> UInt64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder >= divisor - remainder ? quotient + 1 : quotient
    }
}
