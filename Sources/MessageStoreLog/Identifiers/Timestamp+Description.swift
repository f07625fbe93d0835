extension Timestamp: CustomStringConvertible {
    /// ISO 8601 in UTC with milliseconds, such as `2014-12-01T00:16:43.823Z`; `unknown` for ``unknown``.
    ///
    /// Years before 0 and after 9999 carry a sign, as ISO 8601 wants it. Every `Int64` has a form.
    public var description: String {
        guard self != .unknown else { return "unknown" }
        let (days, msOfDay) = Self.flooredDivision(milliseconds, by: 86_400_000)
        let (year, month, day) = Self.civilDate(daysSinceEpoch: days)
        let sign = year < 0 ? "-" : year > 9_999 ? "+" : ""
        let date = "\(sign)\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let hour = Self.padded(msOfDay / 3_600_000, 2)
        let minute = Self.padded(msOfDay / 60_000 % 60, 2)
        let second = Self.padded(msOfDay / 1_000 % 60, 2)
        return "\(date)T\(hour):\(minute):\(second).\(Self.padded(msOfDay % 1_000, 3))Z"
    }

    /// Decimal digits, with zeros in front up to `width` of them; the sign is dropped.
    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value.magnitude)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static let daysFromYearZeroToEpoch: Int64 = 719_468

    /// The date in the proleptic Gregorian calendar.
    ///
    /// Years run from March to February here, so that the leap day is the last of its year, in eras of 400 years.
    private static func civilDate(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = flooredDivision(daysSinceEpoch + daysFromYearZeroToEpoch, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, day)
    }

    /// The days from the epoch to a date of the years 0 to 9999; nil where there is no such date.
    package static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        // As in `civilDate`, years run from March to February.
        let marchYear = month > 2 ? year : year - 1
        let (era, yearOfEra) = flooredDivision(marchYear, by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - daysFromYearZeroToEpoch
        // A day that its month does not have is one of the next.
        return civilDate(daysSinceEpoch: days) == (year, month, day) ? days : nil
    }

    private static func flooredDivision(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
