internal import MessageStoreLMDB

/// A segment that is read, frame by frame.
private struct LogSegment {
    private let path: String
    private let byteCount: Int
    private var offset = 0
    /// The last position of the frames that were read.
    private var reached: Position?
    private var first: JournalFrame.Header?

    init(_ path: String) throws {
        guard let status = try FileSystem.status(of: path), status.kind == .file else {
            throw StoreError(.segmentMissing, "there is no segment", path: path)
        }
        (self.path, byteCount) = (path, status.size)
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
        guard let frame = JournalFrame(bytes.span.bytes), frame.byteCount == bytes.count,
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
        let bytes = bytes.span.bytes
        guard JournalFrame.Header(bytes) != nil,
            let first = bytes.load(at: JournalFrame.Layout.first, as: UInt64.self),
            let last = bytes.load(at: JournalFrame.Layout.flushed, as: UInt64.self)
        else { return nil }
        return (Position(first), Position(last))
    }

    /// The same of a segment whose checksum is right and that ends where its header says.
    package static func positions(ofWholeSegment bytes: [UInt8]) -> (first: Position, last: Position)? {
        guard let frame = JournalFrame(bytes.span.bytes), frame.byteCount == bytes.count, frame.last == frame.flushed
        else { return nil }
        return (frame.first, frame.last)
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
        var segment = try LogSegment(path)
        var frame = try segment.next()
        let ancestors = frame.events.symbols.filter { $0.space == .store && $0.number > 1 }.map(\.bytes)
        let own = try LogLineage(ancestors: ancestors, storeID: segment.storeID)
        guard let shared = own.sharedPosition(with: lineage), shared >= last else { throw Self.mismatch(path) }
        let next = Position(last.rawValue + 1)
        guard frame.first <= next else {
            throw StoreError(.segmentMissing, "the segment before this one is missing", position: next, path: path)
        }
        try describe(frame.events.symbols)
        let erasure = try ledger.map { try LedgerErasure($0.limited(to: own), in: self) }
        var reached = last
        while true {
            let end = max(reached, frame.last)
            try append(frame.events, after: reached, erasing: erasure, owesValues: storeID != nil, path) {
                tables, transaction in
                guard let storeID else { return }
                try tables.note(storeID: storeID, after: own, last: end, in: transaction)
            }
            reached = end
            try progress(reached, max(reached, frame.flushed))
            if segment.isAtEnd { return (reached, reached > last ? own : lineage) }
            frame = try segment.next()
        }
    }

    private func append(
        _ events: PreparedAppend, after last: Position, erasing erasure: LedgerErasure?, owesValues: Bool,
        _ path: String, then note: (LogTables, borrowing WriteTransaction) throws -> Void
    ) throws {
        let symbols = events.symbols.filter { SalvagedNames.spaces.contains($0.space) }
        guard try self.symbols.firstConflict(in: [symbols]) == nil, try hasSame(events, at: last) else {
            throw Self.mismatch(path)
        }
        let new = try self.symbols.read { transaction, tables in
            try symbols.filter {
                try $0.number >= SymbolTable.nextCommittedNumber($0.space, in: transaction, tables)
            }
        }
        let (tables, left) = (storage.tables, events.erased(by: erasure, symbols: new, owesValues: owesValues))
        try tables.makeTables(for: [left])
        try tables.environment.write { transaction in
            try tables.write(left, after: last, in: transaction)
            try note(tables, transaction)
        }
    }

    /// Writes the declarations of hosts' events, and what is left of erased ids.
    private func describe(_ symbols: [PendingSymbols.Entry]) throws {
        let tables = storage.tables
        try tables.environment.write { transaction in
            for name in symbols where name.space == .hostEvent { try tables.writeName(name, in: transaction) }
            let known = try ErasedIDs(in: transaction, tables).entries
            for name in symbols where name.space == .erased && !known.contains(name.bytes) {
                try tables.add(name.bytes, in: transaction)
            }
        }
    }

    /// The place where the events of a segment differ from the log's, apart from what was erased in one of them.
    ///
    /// - Parameter bytes: A segment of one frame.
    /// - Returns: The positions of the segment, and the first of another event or of none; nil if the bytes are no
    ///   segment of one frame.
    /// - Throws: ``StoreError`` with code `logDamaged`.
    package func comparison(
        withSegment bytes: [UInt8], storeID: [UInt8]
    ) throws -> (positions: ClosedRange<Position>, firstDifference: Position?)? {
        guard let frame = JournalFrame(bytes.span.bytes), frame.byteCount == bytes.count else { return nil }
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

/// The symbols that a segment needs: the ones that its records name, and all that a log which it continues may lack.
private struct SegmentSymbols {
    private var next: [SymbolSpace: UInt32]
    private var taken: [SymbolSpace: Set<UInt32>] = [:]

    init(after highest: [SymbolSpace: UInt32]) { next = highest.mapValues { $0 + 1 } }

    /// The symbols that records name and that were not taken before, and the ones in between, by number.
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
