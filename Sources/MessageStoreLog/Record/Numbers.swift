internal import MessageStoreLMDB

/// A place in the log: dense from 1, assigned inside the log's commit.
public struct Position: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The number; 0 is the place before the first event.
    public let rawValue: UInt64

    /// Wraps a number.
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Wraps a number.
    @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The place before the first event.
    public static let origin = Position(0)

    /// A number that no log reaches; the arithmetic on positions of files relies on it.
    package static let limit = UInt64.max >> 1

    /// The value as it is shown to people.
    public var description: String { String(rawValue) }

    /// Whether `first` comes before `second`.
    @inlinable public static func < (first: Position, second: Position) -> Bool { first.rawValue < second.rawValue }
}

/// A message's id in this store: the position of the first event about it.
///
/// Assigned once, never reused, known before a server answers.
public struct LocalMessageID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The number, always above 0.
    public let rawValue: UInt64

    /// Wraps a number.
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Wraps a number.
    @inlinable public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The value as it is shown to people.
    public var description: String { String(rawValue) }

    /// Whether `first` comes before `second`.
    @inlinable public static func < (first: LocalMessageID, second: LocalMessageID) -> Bool {
        first.rawValue < second.rawValue
    }
}

/// A moment in milliseconds since 1970-01-01T00:00:00Z, between 0 and the end of the year 9999.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Milliseconds since the epoch. 0 means that the time is unknown.
    public let milliseconds: Int64

    /// Wraps milliseconds since the epoch; the range is checked when an event is recorded.
    @inlinable public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Reads milliseconds since the epoch.
    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes milliseconds since the epoch.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    /// An unknown time.
    public static let unknown = Timestamp(milliseconds: 0)

    /// The largest allowed value, 9999-12-31T23:59:59.999Z.
    public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    var isValid: Bool { milliseconds >= 0 && milliseconds <= Self.latest.milliseconds }

    /// Whether `first` comes before `second`.
    @inlinable public static func < (first: Timestamp, second: Timestamp) -> Bool {
        first.milliseconds < second.milliseconds
    }
}

extension Duration {
    /// The same, between 0 and 35,000 years: clocks and counts of milliseconds overflow with longer ones, such as
    /// `.seconds(.max)` for "never".
    package var bounded: Duration { min(max(self, .zero), .seconds(1 << 40)) }
}

extension Timestamp: CustomStringConvertible {
    /// ISO 8601 in UTC with milliseconds, such as `2014-12-01T00:16:43.823Z`; `unknown` for ``unknown``.
    ///
    /// Years before 0 and after 9999 carry a sign, as ISO 8601 wants it. Every `Int64` has a form.
    public var description: String {
        guard self != .unknown else { return "unknown" }
        let (days, time) = Self.flooredDivision(milliseconds, by: 86_400_000)
        let (year, month, day) = Self.civilDate(daysSinceEpoch: days)
        return String(unsafeUninitializedCapacity: 40) { text in
            var count = 0
            // Decimal digits, with zeros in front up to `width` of them; the sign is dropped.
            func put(_ value: Int64, _ width: Int, _ end: Unicode.Scalar) {
                let start = count
                var rest = value.magnitude
                repeat {
                    text[count] = UInt8(ascii: "0") + UInt8(rest % 10)
                    (rest, count) = (rest / 10, count + 1)
                } while rest > 0 || count - start < width
                text[start..<count].reverse()
                text[count] = UInt8(ascii: end)
                count += 1
            }
            if !(0...9_999).contains(year) {
                text[0] = UInt8(ascii: year < 0 ? "-" : "+")
                count = 1
            }
            put(year, 4, "-")
            put(month, 2, "-")
            put(day, 2, "T")
            put(time / 3_600_000, 2, ":")
            put(time / 60_000 % 60, 2, ":")
            put(time / 1_000 % 60, 2, ".")
            put(time % 1_000, 3, "Z")
            return count
        }
    }

    /// The year and the month of the year, 1 to 12, in UTC.
    package var month: (year: Int64, month: Int64) {
        let date = Self.civilDate(daysSinceEpoch: day)
        return (date.year, date.month)
    }

    /// The days since the first of January 1970, in UTC.
    package var day: Int64 { Self.flooredDivision(milliseconds, by: 86_400_000).quotient }

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

    /// The days from the epoch to a date of the years 0 to 9999; nil if there is no such date.
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

extension Timestamp {
    /// The system clock's time.
    public static var now: Timestamp {
        let sinceEpoch = SystemClock.sinceEpoch()
        return Timestamp(milliseconds: sinceEpoch.seconds * 1000 + sinceEpoch.nanoseconds / 1_000_000)
    }
}
