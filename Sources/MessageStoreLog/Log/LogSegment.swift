internal import MessageStoreLMDB
package import MessageStoreSealing

/// A segment that is read, frame by frame.
private struct LogSegment {
    private let path: String
    private let key: SecretKey?
    private let byteCount: Int
    private var offset = 0
    /// The last position of the frames that were read.
    private var reached: Position?
    private var first: JournalFrame.Header?

    init(_ path: String, _ key: SecretKey?) throws {
        guard let status = try FileSystem.status(of: path), status.kind == .file else {
            throw StoreError(.segmentMissing, "there is no segment", path: path)
        }
        (self.path, self.key, byteCount) = (path, key, status.size)
    }

    /// The store that wrote it.
    var storeID: [UInt8] { first?.storeID ?? [] }

    /// The next frame; there is one where ``isAtEnd`` is false.
    mutating func next() throws -> JournalFrame {
        let head = try FileSystem.read(path, offset: offset, limit: JournalFrame.Layout.headerSize)
        guard let header = JournalFrame.Header(head.span.bytes), header.byteCount <= byteCount - offset else {
            throw damage()
        }
        let limit = min(JournalFrame.aligned(header.byteCount), byteCount - offset)
        let bytes = try FileSystem.read(path, offset: offset, limit: limit)
        guard let frame = try JournalFrame.read(ofSegment: bytes.span.bytes, key, path: path),
            frame.byteCount == bytes.count,
            bytes[header.byteCount...].allSatisfy({ $0 == 0 }), frame.last <= frame.flushed,
            reached.map({ $0.rawValue + 1 == frame.first.rawValue }) ?? true,
            first.map({ $0.storeID == header.storeID && $0.generation == header.generation }) ?? true,
            (frame.last == frame.flushed) == (offset + bytes.count == byteCount)
        else { throw damage() }
        offset += bytes.count
        (first, reached) = (first ?? header, frame.last)
        return frame
    }

    /// Whether all frames were read; each segment has one.
    var isAtEnd: Bool { offset == byteCount }

    private func damage() -> StoreError {
        StoreError(
            .segmentDamaged, "the segment is damaged or cut off", position: reached.map { Position($0.rawValue + 1) },
            path: path)
    }
}

extension EventLog {
    /// The first and the last position that the header of a segment of one frame names; nil if no frame begins.
    package static func positions(ofSegment bytes: [UInt8]) -> (first: Position, last: Position)? {
        JournalFrame.Header(bytes.span.bytes).map { ($0.first, $0.flushed) }
    }

    /// The same of a segment whose checksum is right and that ends where its header says.
    package static func positions(ofWholeSegment bytes: [UInt8]) -> (first: Position, last: Position)? {
        guard let header = JournalFrame.wholeHeader(bytes.span.bytes),
            JournalFrame.aligned(header.byteCount) == bytes.count
        else { return nil }
        // Nobody can look into a sealed one here.
        guard !header.isSealed else {
            let isPossible = header.first <= header.flushed && header.flushed.rawValue < Position.limit
            return isPossible ? (header.first, header.flushed) : nil
        }
        guard let frame = JournalFrame(bytes.span.bytes), frame.last == frame.flushed else { return nil }
        return (frame.first, frame.last)
    }

    /// Whether a segment begins with a frame that is not sealed.
    package static func isClear(segment bytes: [UInt8]) -> Bool {
        JournalFrame.Header(bytes.span.bytes)?.isSealed == false
    }

    /// Checks that a key opens the first frame of a segment.
    ///
    /// - Parameter key: The key under which segments are sealed; nil for clear ones.
    /// - Throws: ``StoreError`` with code `keyUnavailable` or `keyRefused`.
    package static func check(_ key: SecretKey?, opensSegment bytes: [UInt8], path: String) throws(StoreError) {
        _ = try JournalFrame.read(ofSegment: bytes.span.bytes, key, path: path)
    }

    /// Appends what a segment has after the end of a copy of a log.
    ///
    /// - Parameters:
    ///   - path: The segment's file.
    ///   - last: The last position of the copy.
    ///   - lineage: The lineage of the copied log.
    ///   - ledger: Erasures since; the copy never has the erased values.
    ///   - storeID: The store that the copy belongs to, if the copy's lineage is noted with each frame, so that it is
    ///     right whenever this ends; nil if the caller notes it.
    ///   - progress: Called now and then with the position reached and the last one of the segment.
    /// - Returns: The last position, and the lineage up to there.
    /// - Throws: ``StoreError`` with code `segmentMissing`, `segmentDamaged` or `lineageMismatch`.
    package func append(
        segment path: String, after last: Position, of lineage: LogLineage, erasing ledger: ErasureLedger?,
        noting storeID: [UInt8]? = nil, progress: (_ reached: Position, _ last: Position) throws -> Void
    ) throws -> (last: Position, lineage: LogLineage) {
        var segment = try LogSegment(path, segmentKey)
        var frame = try segment.next()
        let own = try LogLineage(names: frame.events.symbols, storeID: segment.storeID)
        guard let shared = own.sharedPosition(with: lineage), shared >= last else { throw Self.mismatch(path) }
        let next = Position(last.rawValue + 1)
        guard frame.first <= next else {
            throw StoreError(.segmentMissing, "the segment before this one is missing", position: next, path: path)
        }
        try describe(frame.events.symbols)
        let erasure = try ledger.map { try LedgerErasure($0.limited(to: own), in: self) }
        var reached = last
        while true {
            let (events, end) = (frame.events, max(reached, frame.last))
            let symbols = events.symbols.filter(\.space.isOfRecords)
            guard try self.symbols.firstConflict(in: [symbols]) == nil, try hasSame(events, at: reached) else {
                throw Self.mismatch(path)
            }
            let (tables, owesValues) = (storage.tables, storeID != nil)
            if !events.owed(after: erasure, owesValues: owesValues).isEmpty { _ = try tables.owedTable(create: true) }
            try tables.environment.write { transaction in
                let new = try symbols.filter {
                    try $0.number >= SymbolTable.nextCommittedNumber($0.space, in: transaction, tables)
                }
                try tables.write(events, new, after: reached, erasing: erasure, owesValues: owesValues, in: transaction)
                if let storeID { try tables.note(storeID: storeID, after: own, last: end, in: transaction) }
            }
            reached = end
            try progress(reached, max(reached, frame.flushed))
            if segment.isAtEnd { return (reached, reached > last ? own : lineage) }
            frame = try segment.next()
        }
    }

    /// Writes the declarations of hosts' events, and what is left of erased ids.
    private func describe(_ names: [PendingSymbols.Entry]) throws {
        let tables = storage.tables
        try tables.environment.write { transaction in
            let known = try tables.names(of: .erased, in: transaction).map(\.bytes)
            for name in names where name.space == .hostEvent { try tables.write(name, in: transaction) }
            for name in names where name.space == .erased && !known.contains(name.bytes) {
                try tables.add(name.bytes, to: .erased, in: transaction)
            }
        }
    }

    /// The place where the events of a segment differ from the log's, apart from what was erased in one of them.
    ///
    /// - Parameter bytes: A segment of one frame, which may be clear although the log is sealed.
    /// - Returns: The positions of the segment, and the first of another event or of none; nil if the bytes are no
    ///   segment of one frame.
    /// - Throws: ``StoreError`` with code `logDamaged`.
    package func comparison(
        withSegment bytes: [UInt8], storeID: [UInt8]
    ) throws -> (positions: ClosedRange<Position>, firstDifference: Position?)? {
        let key = Self.isClear(segment: bytes) ? nil : segmentKey
        guard let frame = try JournalFrame.read(ofSegment: bytes.span.bytes, key), frame.byteCount == bytes.count
        else { return nil }
        let positions = frame.first...frame.last
        let snapshot = try durableSnapshot()
        // Erased values leave no flag.
        var hasErasedValues: Bool?
        for index in 0..<frame.events.batch.count {
            let position = Position(frame.events.batch.firstPosition.rawValue + UInt64(index))
            let other = RecordView(wellFormed: RawSpan(_unsafeBytes: frame.events.batch.bytes(at: index)))
            if let record = try snapshot.record(at: position) {
                if record.bytes.isEqual(to: other.bytes) { continue }
                guard record.isSameEvent(as: other) else { return (positions, position) }
                if record.flags.contains(.isRedacted) || other.flags.contains(.isRedacted) { continue }
                let isErased = try hasErasedValues ?? !erasureLedger(storeID: storeID).hasNoValues
                guard isErased else { return (positions, position) }
                hasErasedValues = isErased
            } else if try snapshot.gap(at: position) == nil {
                return (positions, position)
            }
        }
        return (positions, nil)
    }

    /// Whether the last event of the log is the one that a segment has at its position, if it has one.
    private func hasSame(_ events: PreparedAppend, at last: Position) throws -> Bool {
        let first = events.batch.firstPosition
        guard last >= first, last <= events.batch.lastPosition else { return true }
        let bytes = RawSpan(_unsafeBytes: events.batch.bytes(at: Int(last.rawValue - first.rawValue)))
        let snapshot = try snapshot()
        guard let record = try snapshot.record(at: last) else { return false }
        return record.isSameEvent(as: RecordView(wellFormed: bytes))
    }

    private static func mismatch(_ path: String) -> StoreError {
        StoreError(.lineageMismatch, "the segment does not continue the backup: it is of another log", path: path)
    }
}

extension RecordView {
    /// Whether both are records of one event; values erased in one of them do not count.
    fileprivate func isSameEvent(as other: RecordView) -> Bool {
        [RecordLayout.position..<RecordLayout.flags, RecordLayout.recordedTime..<RecordLayout.fieldsLength].allSatisfy {
            bytes.extracting($0).isEqual(to: other.bytes.extracting($0))
        }
    }
}

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
    ///   - progress: Called after each frame with its last position and the segment's.
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
        var (next, symbols) = try beginSegment(after: position)
        let generation = UInt64.random(in: .min ... .max)
        while next <= last {
            let events = try events(from: next, to: last, &symbols)
            try write(frame(of: events, storeID, generation, end: last).span.bytes)
            try progress(events.batch.lastPosition, last)
            next = events.batch.nextPosition
        }
        return last
    }

    /// A segment of one frame: the durable events after a position, as far as they fit.
    ///
    /// - Parameters:
    ///   - end: The last position that the segment may have.
    ///   - limit: The segment ends with the record that reaches so many bytes.
    /// - Returns: nil if nothing is durable after the position.
    /// - Throws: As ``writeSegment(after:storeID:_:progress:)``.
    package func segment(
        after position: Position, upTo end: Position = Position(.max), limit: Int, storeID: [UInt8]
    ) throws -> (bytes: [UInt8], last: Position)? {
        let last = min(try durableSnapshot().lastPosition(), end)
        guard position < last else { return nil }
        let begun = try beginSegment(after: position)
        var symbols = begun.symbols
        let events = try events(from: begun.start, to: last, &symbols, limit: limit)
        return (frame(of: events, storeID, end: events.batch.lastPosition), events.batch.lastPosition)
    }

    /// A segment of one durable event, also where the records before it were cut off.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged`.
    package func segment(of position: Position, storeID: [UInt8]) throws -> [UInt8] {
        var symbols = try segmentSymbols(from: position)
        return frame(of: try events(from: position, to: position, &symbols), storeID, end: position)
    }

    private func frame(
        of events: PreparedAppend, _ storeID: [UInt8], _ generation: UInt64 = .random(in: .min ... .max), end: Position
    ) -> [UInt8] {
        var bytes = ByteWriter(capacity: events.batch.bytes.count + (64 << 10))
        JournalFrame.encode(
            [events], storeID: storeID, generation: generation, flushed: end, sealedBy: segmentKey, to: &bytes)
        return bytes.copied
    }

    /// The first event of a segment, which a log that it continues has, and the symbols that are needed from there on.
    private func beginSegment(after position: Position) throws -> (start: Position, symbols: SegmentSymbols) {
        let start = max(position, Position(1))
        // A copy that ends before a cut has what was cut off, and no segment takes it away.
        try checkIsWhole(at: start)
        return (start, try segmentSymbols(from: start))
    }

    /// The symbols that are needed from an event on: those with higher numbers than the events before it name may be new.
    private func segmentSymbols(from position: Position) throws -> SegmentSymbols {
        let first = Position(position.rawValue - min(position.rawValue, Self.lookback))
        return try SegmentSymbols(durableSnapshot().highestSymbols(from: first, to: Position(position.rawValue - 1)))
    }

    private func events(
        from first: Position, to last: Position, _ symbols: inout SegmentSymbols, limit: Int = EventLog.bytesPerFrame
    ) throws -> PreparedAppend {
        let isFirst = symbols.areUnused
        let snapshot = try durableSnapshot()
        var records = ByteWriter(capacity: min(limit, Self.bytesPerFrame))
        var named: [SymbolSpace: Set<UInt32>] = [:]
        try snapshot.scan(from: first, to: last) { record in
            records.append(record.bytes)
            record.forEachSymbolNumber { named[$0, default: []].insert($1) }
            // The event before the segment does not count.
            return records.count < limit || record.position == first && isFirst ? .proceed : .stop
        }
        var entries = try symbols.take(named, of: snapshot.symbols)
        // Whoever takes the records over sees for himself where the clock fell.
        for space in [SymbolSpace.hostEvent, .store, .erased] where isFirst {
            entries += try snapshot.tables.names(of: space, in: snapshot.transaction)
        }
        guard let batch = EncodedBatch(records: records.bytes, from: first) else {
            throw StoreError(.recordDamaged, "the record is missing", position: first)
        }
        return PreparedAppend(batch, entries)
    }
}

/// The symbols that a segment needs: the ones that its records name, and all that a log which it continues may lack.
private struct SegmentSymbols {
    private var next: [SymbolSpace: UInt32]
    private var taken: [SymbolSpace: Set<UInt32>] = [:]

    /// Whether none were taken yet.
    var areUnused: Bool { taken.isEmpty }

    init(_ highest: [SymbolSpace: UInt32]) { next = highest.mapValues { $0 + 1 } }

    /// The symbols that records name and that were not taken before, and the ones in between, by number.
    mutating func take(_ named: [SymbolSpace: Set<UInt32>], of symbols: SymbolTable) throws -> [PendingSymbols.Entry] {
        try SymbolSpace.ofRecords.flatMap { space in
            let (named, first) = (named[space] ?? [], next[space] ?? 1)
            let end = max(first, (named.max() ?? 0) + 1)
            let new = named.union(first..<end).subtracting(taken[space] ?? [])
            next[space] = end
            taken[space, default: []].formUnion(new)
            return try new.sorted().map { number in
                PendingSymbols.Entry(space: space, number: number, bytes: try symbols.bytes(space, number))
            }
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
