/// The reading of a slow clock that a record keeps: see `Docs/Format.md`, "The clock's reading".
extension RecordView {
    /// The clock's reading at the recording.
    @inlinable public var clockTime: Timestamp {
        flags.contains(.hasClock) ? time(at: clockOffset + RecordLayout.clockTag) : recordedTime
    }

    /// The later of the clock's reading and the newest time of a server in the log before: it bounds other times, and
    /// begins timers.
    @inlinable @inline(__always) public var correctedTime: Timestamp {
        flags.contains(.hasClock) ? keptCorrected : recordedTime
    }

    /// When the event was recorded, for what has no time of its own: by the clock, or the newest time of a server before
    /// it where the clock showed more than a day less.
    @inlinable @inline(__always) public var now: Timestamp { flags.contains(.hasClock) ? keptNow : recordedTime }

    @usableFromInline var keptCorrected: Timestamp { time(at: clockOffset + 2 * RecordLayout.clockTag + 8) }

    @usableFromInline var keptNow: Timestamp {
        let (read, corrected) = (clockTime, correctedTime)
        return corrected.milliseconds &- read.milliseconds > Timestamp.greatestLead ? corrected : read
    }

    @inlinable func time(at offset: Int) -> Timestamp { Timestamp(milliseconds: load(offset)) }

    /// The times that a decoded event keeps: a slow clock's, and what the clock showed of a choice by time.
    var clock: (time: Timestamp?, corrected: Timestamp?) {
        if flags.contains(.hasClock) { return slowClock }
        return (type.has(.mergedByTime) ? self[CommonField.clockTime] : nil, nil)
    }

    /// The times that a decoded event keeps of a slow clock.
    @inline(__always) var slowClock: (time: Timestamp?, corrected: Timestamp?) {
        flags.contains(.hasClock) ? (clockTime, correctedTime) : (nil, nil)
    }

    /// The server's time of the event, unless that is more than a day after its recording.
    var credibleServerTime: Timestamp? {
        guard let time = serverTime, time.milliseconds &- correctedTime.milliseconds <= Timestamp.greatestLead else {
            return nil
        }
        return time
    }
}

extension Timestamp {
    /// A day, in milliseconds: a later time in an event counts as one that is a day after the event was recorded.
    @inlinable package static var greatestLead: Int64 { 86_400_000 }

    /// The beginning of 2020: a clock that shows less is wrong.
    static let earliestCredible = Timestamp(milliseconds: 1_577_836_800_000)
}

/// A record that was written when the clock said less than at the record before it.
struct ClockFall {
    let position: Position
    let clockTime: Timestamp

    init(_ record: RecordView) { (position, clockTime) = (record.position, record.clockTime) }

    /// Reads what ``bytes`` wrote.
    init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 16, let position = bytes.load(at: 0, as: UInt64.self),
            let time = bytes.load(at: 8, as: Int64.self)
        else { return nil }
        (self.position, clockTime) = (Position(position), Timestamp(milliseconds: time))
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.append(position.rawValue)
        writer.append(clockTime.milliseconds)
        return writer.bytes.copied
    }
}
