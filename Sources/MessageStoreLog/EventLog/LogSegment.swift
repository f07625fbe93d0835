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
    /// The first and the last position that the header of a segment of one frame names; nil where no frame begins.
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
    ///   - lineage: That of the log that was copied.
    ///   - ledger: What was erased since; the copy never has it.
    ///   - storeID: The store that the copy belongs to, where the copy's lineage is noted with each frame, so that it is
    ///     right whenever this ends; nil where whoever calls notes it.
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

    /// Where the events of a segment differ from the log's, what was erased in one of them apart.
    ///
    /// - Parameter bytes: A segment of one frame.
    /// - Returns: The positions of the segment, and the first of another event or of none; nil where the bytes are no
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
    /// Whether both are records of one event; what was erased in one of them does not count.
    fileprivate func isSameEvent(as other: RecordView) -> Bool {
        [RecordLayout.position..<RecordLayout.flags, RecordLayout.recordedTime..<RecordLayout.fieldsLength].allSatisfy {
            bytes.extracting($0).isEqual(to: other.bytes.extracting($0))
        }
    }
}
