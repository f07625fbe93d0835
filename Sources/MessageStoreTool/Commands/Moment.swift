internal import ArgumentParser

/// A position in the log as an argument names it.
enum Moment: ExpressibleByArgument, Equatable {
    /// A position; a negative one counts from the end, where -1 is the last.
    case position(Int64)
    /// A time, by the clock of the device that recorded.
    case time(Timestamp)

    static let help = "a position, negative ones from the end, or a time such as 2026-11-20T18:00:00Z"

    /// The argument, as help shows it for a default.
    var defaultValueDescription: String {
        switch self {
        case .position(let number): String(number)
        case .time(let time): time.description
        }
    }

    init?(argument: String) {
        if let number = Int64(argument) {
            self = .position(number)
        } else if let time = Timestamp(iso8601: argument) {
            self = .time(time)
        } else {
            return nil
        }
    }

    /// The position in a store: the last one recorded by the time, for a time.
    ///
    /// - Throws: ``ToolError`` if the log does not reach that far.
    func position(in store: MessageStore) throws -> Position {
        if case .position(let number) = self {
            let (end, absolute) = try (Int64(clamping: store.lastPosition().rawValue), absolute(number, in: store))
            guard (0...end).contains(absolute) else {
                throw ToolError.usage("position \(number): the log ends at \(end)")
            }
        }
        return try position(in: store, isFirst: false)
    }

    /// The position as the first of a range: the first one recorded at the time or later, for a time.
    ///
    /// - Throws: ``ToolError`` if the log does not reach that far, and for 0.
    func firstPosition(in store: MessageStore) throws -> Position {
        if case .time = self { return try position(in: store, isFirst: true) }
        let position = try position(in: store)
        guard position > .origin else { throw ToolError.usage("positions begin at 1") }
        return position
    }

    /// The position as the first or the last of a range, which may lie outside of the log.
    func position(in store: MessageStore, isFirst: Bool) throws -> Position {
        switch self {
        case .time(let time) where isFirst:
            let before = Timestamp(milliseconds: max(time.milliseconds, 1) - 1)
            return Position(try store.lastPosition(recordedBy: before).rawValue + 1)
        case .time(let time): return try store.lastPosition(recordedBy: time)
        case .position(let number): return Position(UInt64(clamping: max(try absolute(number, in: store), 0)))
        }
    }

    /// A position counted from the beginning.
    private func absolute(_ number: Int64, in store: MessageStore) throws -> Int64 {
        number < 0 ? Int64(clamping: try store.lastPosition().rawValue) &+ number &+ 1 : number
    }
}

extension Timestamp {
    /// Reads a date, or a date and a time of day to the minute, the second or a part of one, with `Z`, an offset such
    /// as `+08:00`, or none for UTC. A date alone is its first moment.
    init?(iso8601 text: String) {
        let form = #/(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):?(\d\d))?)?/#
        guard let match = text.wholeMatch(of: form.asciiOnlyDigits())?.output else { return nil }
        let number = { (digits: Substring?) in Int64(digits ?? "0") ?? 0 }
        let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
        let (offsetHours, offsetMinutes) = (number(match.9), number(match.10))
        guard hour < 24, minute < 60, second < 60, offsetHours < 24, offsetMinutes < 60,
            let days = Timestamp.daysSinceEpoch(year: number(match.1), month: number(match.2), day: number(match.3))
        else { return nil }
        let fraction = number(((match.7 ?? "") + "000").prefix(3))
        let offset = (offsetHours * 60 + offsetMinutes) * (match.8 == "-" ? -1 : 1)
        let minutes = (days * 24 + hour) * 60 + minute - offset
        self.init(milliseconds: (minutes * 60 + second) * 1_000 + fraction)
    }
}
