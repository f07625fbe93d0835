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
