internal import MessageStoreLMDB

extension EventLog {
    /// So many bytes of records share a frame of a segment.
    private static let bytesPerFrame = 4 << 20
    /// So many records before a segment are looked at for the symbols that the log had there.
    private static let lookback: UInt64 = 4096

    /// Writes what is durable after a position: frames as a journal has them, which begin with the event at the position.
    ///
    /// - Parameters:
    ///   - storeID: The store that the log belongs to.
    ///   - write: Called with each frame.
    ///   - progress: Called after each frame with its last position and that of the segment.
    /// - Returns: The last position of the segment.
    /// - Throws: ``StoreError`` with code `invalidArgument` if nothing was recorded after the position, `positionCut`
    ///   where records after it were cut off, `recordDamaged` or `logDamaged`.
    package func writeSegment(
        after position: Position, storeID: [UInt8], _ write: (RawSpan) throws -> Void,
        progress: (_ reached: Position, _ last: Position) throws -> Void
    ) throws -> Position {
        let last = try durableSnapshot().lastPosition()
        guard position < last else {
            throw StoreError(.invalidArgument, "nothing was recorded after the position", position: position)
        }
        var symbols = try segmentSymbols(after: position)
        let generation = UInt64.random(in: .min ... .max)
        var next = max(position, Position(1))
        while next <= last {
            let events = try events(from: next, to: last, &symbols, isFirst: next <= max(position, Position(1)))
            try write(Self.frame(of: events, storeID, generation, end: last).span.bytes)
            try progress(events.batch.lastPosition, last)
            next = events.batch.nextPosition
        }
        return last
    }

    /// A segment of one frame: what is durable after a position, as far as it fits.
    ///
    /// - Parameters:
    ///   - end: The last position that the segment may have.
    ///   - limit: The segment ends with the record that reaches so many bytes.
    /// - Returns: nil where nothing is durable after the position.
    /// - Throws: As ``writeSegment(after:storeID:_:progress:)``.
    package func segment(
        after position: Position, upTo end: Position = Position(.max), limit: Int, storeID: [UInt8]
    ) throws -> (bytes: [UInt8], last: Position)? {
        let last = min(try durableSnapshot().lastPosition(), end)
        guard position < last else { return nil }
        var symbols = try segmentSymbols(after: position)
        let start = max(position, Position(1))
        let events = try events(from: start, to: last, &symbols, isFirst: true, limit: limit)
        let reached = events.batch.lastPosition
        return (Self.frame(of: events, storeID, .random(in: .min ... .max), end: reached), reached)
    }

    /// A segment of one durable event, also where the records before it were cut off.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged`.
    package func segment(of position: Position, storeID: [UInt8]) throws -> [UInt8] {
        var symbols = SegmentSymbols(after: try highestSymbols(before: position))
        let events = try events(from: position, to: position, &symbols, isFirst: true)
        return Self.frame(of: events, storeID, .random(in: .min ... .max), end: position)
    }

    private static func frame(
        of events: PreparedAppend, _ storeID: [UInt8], _ generation: UInt64, end: Position
    ) -> [UInt8] {
        var bytes = ByteWriter(capacity: events.batch.bytes.count + (64 << 10))
        JournalFrame.encode([events], storeID: storeID, generation: generation, flushed: end, to: &bytes)
        return bytes.bytes.copied
    }

    private func segmentSymbols(after position: Position) throws -> SegmentSymbols {
        let start = max(position, Position(1))
        // A copy that ends before a cut has what was cut off, and no segment takes it away.
        try checkIsWhole(at: start)
        return SegmentSymbols(after: try highestSymbols(before: start))
    }

    /// The highest numbers that some events name: symbols with higher ones may be new after them.
    private func highestSymbols(before position: Position) throws -> [SymbolSpace: UInt32] {
        var highest: [SymbolSpace: UInt32] = [:]
        let first = Position(position.rawValue - min(position.rawValue, Self.lookback))
        try durableSnapshot().scan(from: first, to: Position(position.rawValue - 1)) { record in
            record.forEachSymbolNumber { highest[$0] = max(highest[$0] ?? 0, $1) }
            return .proceed
        }
        return highest
    }

    private func events(
        from first: Position, to last: Position, _ symbols: inout SegmentSymbols, isFirst: Bool,
        limit: Int = EventLog.bytesPerFrame
    ) throws -> PreparedAppend {
        let snapshot = try durableSnapshot()
        var records = ByteWriter(capacity: min(limit, Self.bytesPerFrame))
        var named: [SymbolSpace: Set<UInt32>] = [:]
        try snapshot.scan(from: first, to: last) { record in
            records.append(record.bytes)
            record.forEachSymbolNumber { named[$0, default: []].insert($1) }
            // The event before the segment does not count.
            return records.count < limit || record.position == first && isFirst ? .proceed : .stop
        }
        var entries = try symbols.take(named).map { space, number in
            PendingSymbols.Entry(space: space, number: number, bytes: try snapshot.symbols.bytes(space, number))
        }
        if isFirst { entries += try snapshot.otherNames() }
        guard let batch = EncodedBatch(records: records.bytes, from: first) else {
            throw StoreError(.recordDamaged, "the record is missing", position: first)
        }
        return PreparedAppend(batch, entries)
    }
}

/// The symbols that a segment needs: those that its records name, and all that a log which it continues may lack.
private struct SegmentSymbols {
    private var next: [SymbolSpace: UInt32]
    private var taken: [SymbolSpace: Set<UInt32>] = [:]

    init(after highest: [SymbolSpace: UInt32]) { next = highest.mapValues { $0 + 1 } }

    /// The symbols that were not taken before of those that records name, and those in between, by number.
    mutating func take(_ named: [SymbolSpace: Set<UInt32>]) -> [(SymbolSpace, UInt32)] {
        SalvagedNames.spaces.flatMap { space in
            let (named, first) = (named[space] ?? [], next[space] ?? 1)
            let end = max(first, (named.max() ?? 0) + 1)
            let new = named.union(first..<end).subtracting(taken[space] ?? [])
            next[space] = end
            taken[space, default: []].formUnion(new)
            return new.sorted().map { (space, $0) }
        }
    }
}

extension SymbolTable {
    /// The bytes of a symbol.
    fileprivate func bytes(_ space: SymbolSpace, _ number: UInt32) throws -> [UInt8] {
        switch space {
        case .conversation: try conversation(number).symbolBytes
        case .user: try user(number).symbolBytes
        default: try contentType(number).symbolBytes
        }
    }
}

extension LogSnapshot {
    /// The names that records do not need: hosts' declarations, and the stores before.
    fileprivate borrowing func otherNames() throws -> [PendingSymbols.Entry] {
        var entries: [PendingSymbols.Entry] = []
        var cursor = try transaction.cursor(in: tables.names)
        var isFound = try cursor.seek([SymbolSpace.hostEvent.rawValue].span.bytes)
        while isFound {
            guard let space = cursor.key.load(at: 0, as: UInt8.self).flatMap(SymbolSpace.init),
                let number = cursor.key.loadBigEndian(at: 1, as: UInt32.self), cursor.value.byteCount >= 8
            else { throw StoreError(.logDamaged, "a name has a key that cannot be read") }
            let bytes = cursor.value.extracting(8..<cursor.value.byteCount).copied
            // Whoever takes the records over sees for himself where the clock fell.
            if space == .clock { break }
            entries.append(.init(space: space, number: number, bytes: bytes))
            isFound = try cursor.move(.next)
        }
        return entries
    }
}
