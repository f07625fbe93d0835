internal import MessageStoreLMDB

/// Positions whose records were cut off, as the log's table `gaps` has them.
package struct LogGap: Sendable, Hashable {
    /// The positions.
    package let positions: ClosedRange<Position>
    /// The event that erased what the records were about; of several the last.
    package let cause: Position

    private static let size = 24

    init(_ positions: ClosedRange<Position>, cause: Position) {
        (self.positions, self.cause) = (positions, cause)
    }

    init(_ key: RawSpan, _ value: RawSpan) throws {
        guard key.byteCount == 8, value.byteCount == Self.size,
            let first = key.loadBigEndian(at: 0, as: UInt64.self), let last = value.load(at: 0, as: UInt64.self),
            let cause = value.load(at: 8, as: UInt64.self), let checksum = value.load(at: 16, as: UInt64.self),
            checksum == Self.checksum(first, value.extracting(0..<16)), first > 0, first <= last, last < cause,
            cause < Position.limit
        else { throw StoreError(.logDamaged, "a gap of the log cannot be read") }
        self.init(Position(first)...Position(last), cause: Position(cause))
    }

    func put(in table: Table, _ transaction: borrowing WriteTransaction) throws {
        let first = positions.lowerBound.rawValue
        var value = ByteWriter(capacity: Self.size)
        value.append(positions.upperBound.rawValue)
        value.append(cause.rawValue)
        value.append(Self.checksum(first, value.bytes))
        try transaction.put(value.bytes, for: first, in: table, mode: .append)
    }

    private static func checksum(_ first: UInt64, _ value: RawSpan) -> UInt64 { XXH64.hash(value, seed: first) }

    /// The gap that has a position; nil if none has it.
    static func containing(
        _ position: Position, in table: Table, _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> LogGap? {
        var cursor = try transaction.cursor(in: table)
        let isFound = try withUnsafeBytes(of: position.rawValue.bigEndian) {
            try cursor.seek(atOrBelow: RawSpan(_unsafeBytes: $0))
        }
        guard isFound else { return nil }
        let gap = try LogGap(cursor.key, cursor.value)
        return gap.positions.contains(position) ? gap : nil
    }

    /// Calls `body` with all gaps, ascending, none over another one.
    static func forEach(
        in table: Table, _ transaction: borrowing some Transaction & ~Copyable, _ body: (LogGap) throws -> Void
    ) throws {
        var cursor = try transaction.cursor(in: table)
        var end = Position.origin
        while try cursor.move(.next) {
            let gap = try LogGap(cursor.key, cursor.value)
            guard gap.positions.lowerBound > end else { throw StoreError(.logDamaged, "gaps of the log overlap") }
            end = gap.positions.upperBound
            try body(gap)
        }
    }
}

extension [LogGap] {
    /// The same positions, ascending, with those in one gap that follow each other.
    var joined: [LogGap] {
        ordered { $0.positions.lowerBound < $1.positions.lowerBound }.reduce(into: []) { joined, gap in
            if let last = joined.last, last.positions.upperBound.rawValue + 1 == gap.positions.lowerBound.rawValue {
                joined[joined.count - 1] = LogGap(
                    last.positions.lowerBound...gap.positions.upperBound, cause: Swift.max(last.cause, gap.cause))
            } else {
                joined.append(gap)
            }
        }
    }
}

/// The missing part of a log.
struct CutExtent: Sendable {
    /// The last event that caused a gap; the origin where there is none.
    var replayStart = Position.origin
    /// How many records were cut off.
    var count: UInt64 = 0

    mutating func add(_ gap: LogGap) {
        replayStart = max(replayStart, gap.cause)
        count += gap.positions.upperBound.rawValue - gap.positions.lowerBound.rawValue + 1
    }
}

extension LogSnapshot {
    /// The last event that caused a gap; the origin where there is none.
    package var replayStart: Position { tables.cut.replayStart }

    /// The gap that has a position; nil if none has it.
    package borrowing func gap(at position: Position) throws -> LogGap? {
        guard position < replayStart, let table = tables.gaps else { return nil }
        return try LogGap.containing(position, in: table, transaction)
    }

    /// Calls `body` with all gaps, ascending.
    borrowing func forEachGap(_ body: (LogGap) throws -> Void) throws {
        if let table = tables.gaps { try LogGap.forEach(in: table, transaction, body) }
    }

    /// The first position from one on that is in no gap.
    borrowing func skippingGaps(from position: Position) throws -> Position {
        // Another gap never follows.
        try gap(at: position).map { Position($0.positions.upperBound.rawValue + 1) } ?? position
    }

    /// The last position up to one that is in no gap; the origin where there is none.
    borrowing func skippingGaps(downFrom position: Position) throws -> Position {
        try gap(at: position).map { Position($0.positions.lowerBound.rawValue - 1) } ?? position
    }
}

extension EventLog {
    /// The last event that caused records to be cut off: from here on the log can be replayed. The origin where it is
    /// whole.
    package var replayStart: Position { storage.tables.cut.replayStart }

    /// How many records were cut off.
    package var cutCount: UInt64 { storage.tables.cut.count }

    /// Names what views are folded from: the store's id, and another one with each cut.
    ///
    /// - Parameter storeID: 16 bytes.
    package func foldID(storeID: [UInt8]) -> [UInt8] {
        let replayStart = replayStart
        guard replayStart > .origin else { return storeID }
        return storeID.enumerated().map { index, byte in
            index < 8 ? byte : byte ^ UInt8(truncatingIfNeeded: replayStart.rawValue >> UInt64(8 * (index - 8)))
        }
    }

    /// - Throws: ``StoreError`` with code `positionCut` where the events up to a position are not all there.
    package func checkIsWhole(at position: Position) throws {
        let replayStart = replayStart
        guard position > .origin, position < replayStart else { return }
        throw StoreError(
            .positionCut, "records up to here were cut off; the log can be replayed from position \(replayStart) on",
            position: position)
    }
}
