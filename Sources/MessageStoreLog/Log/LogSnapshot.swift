package import MessageStoreLMDB

/// The log at one moment, for reading.
package struct LogSnapshot: ~Copyable {
    package let transaction: ReadTransaction
    /// The tables of its records and names.
    let tables: LogTables
    /// The symbols that its records name: the ones of this moment, whatever is taken back later.
    package let symbols: SymbolTable
    /// The batches that were not committed yet, in order; the transaction may see it as well.
    private(set) var staged: ArraySlice<PreparedAppend>
    /// Other events in the place of committed ones.
    let replacements: LentReplacements?

    init(
        transaction: consuming ReadTransaction, _ tables: LogTables, symbols: SymbolTable,
        staged: ArraySlice<PreparedAppend> = [], rewriting: LogRewriting? = nil
    ) {
        self.transaction = transaction
        self.tables = tables
        self.symbols = symbols
        self.staged = staged
        replacements = rewriting.map { LentReplacements($0) }
    }

    /// Adds what a journal holds and continues what is committed.
    ///
    /// - Parameter runs: By position; the batches of one follow each other.
    mutating func add(_ runs: [[PreparedAppend]]) throws {
        var end = try lastCommittedPosition()
        for run in runs {
            guard let first = run.first?.batch.firstPosition, let last = run.last?.batch.lastPosition, last > end else {
                continue
            }
            let next = Position(end.rawValue + 1)
            // The log may have the first events of a run; no run has another one's.
            guard first == next || (first < next && staged.isEmpty) else { break }
            let rest = run[Self.first(of: run[...], reaching: next)...]
            // Mostly there is one, which is not copied.
            if staged.isEmpty { staged = rest } else { staged += rest }
            end = last
        }
    }

    /// The record at `position`, verified (I10).
    ///
    /// Positions are dense but for the log's gaps, so another one between the log's ends that is not found is damage and
    /// never the answer "there is none".
    ///
    /// - Returns: nil beyond the log's ends, and in a gap.
    /// - Throws: ``StoreError`` with code `recordDamaged` and the position.
    @_lifetime(borrow self)
    package borrowing func record(at position: Position) throws -> RecordView? {
        guard let found = try recorded(at: position) else { return nil }
        let bytes = _overrideLifetime(RawSpan(_unsafeBytes: found), borrowing: self)
        let record = RecordView(wellFormed: bytes)
        guard let replacements else { return record }
        guard let bytes = try replacements.bytes(inPlaceOf: record) else { return nil }
        return RecordView(_overrideLifetime(RawSpan(_unsafeBytes: bytes), borrowing: self))
    }

    /// Calls `body` with every event that replaces the one at `position`, in their order.
    ///
    /// - Returns: false, and `body` was not called, if the log's own record is there.
    package borrowing func forEachReplacement(
        at position: Position, _ body: (RecordView) throws -> Void
    ) throws -> Bool {
        guard let replacements, let found = try recorded(at: position),
            let others = try replacements.rewriting.standing(
                atPositionOf: RecordView(wellFormed: RawSpan(_unsafeBytes: found)))
        else { return false }
        for other in others { _ = try other.read(body) }
        return true
    }

    /// When the event at `position` was recorded, also if other events, or none, replace it; nil beyond the log's ends.
    package borrowing func recordedTime(at position: Position) throws -> Timestamp? {
        try recorded(at: position).map { RecordView(wellFormed: RawSpan(_unsafeBytes: $0)).recordedTime }
    }

    /// The time at which the event at `position` was recorded; nil beyond the log's ends. See ``RecordView/now``.
    package borrowing func now(at position: Position) throws -> Timestamp? {
        try recorded(at: position).map { RecordView(wellFormed: RawSpan(_unsafeBytes: $0)).now }
    }

    /// The verified bytes of the log's own record; they stay where they are as long as this snapshot is.
    private borrowing func recorded(at position: Position) throws -> UnsafeRawBufferPointer? {
        if let bytes = stagedBytes(at: position) { return bytes }
        let key = position.rawValue.bigEndian
        let found = try withUnsafeBytes(of: key) { key in
            try Self.reportingDamage(at: position) {
                try transaction.value(for: RawSpan(_unsafeBytes: key), in: tables.records)?.withUnsafeBytes { $0 }
            }
        }
        guard let found else {
            if position > .origin, position <= (try lastPosition()), try gap(at: position) == nil {
                throw Self.missing(position)
            }
            return nil
        }
        _ = try Self.verified(RawSpan(_unsafeBytes: found), at: position, isOpened: tables.isSealed)
        return found
    }

    /// The bytes of a staged record; this snapshot keeps its batch alive, which never changes.
    private borrowing func stagedBytes(at position: Position) -> UnsafeRawBufferPointer? {
        let index = firstStaged(reaching: position)
        guard index < staged.endIndex, position >= staged[index].batch.firstPosition else { return nil }
        let batch = staged[index]
        return batch.batch.bytes(at: Int(position.rawValue - batch.batch.firstPosition.rawValue))
    }

    /// The index of the first staged batch that ends at a position or after it.
    private borrowing func firstStaged(reaching position: Position) -> Int {
        Self.first(of: staged, reaching: position)
    }

    private static func first(of batches: ArraySlice<PreparedAppend>, reaching position: Position) -> Int {
        var (low, high) = (batches.startIndex, batches.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if batches[middle].batch.lastPosition < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private borrowing func forStaged(
        _ position: Position, _ body: (RecordView) throws -> ScanStep
    ) throws -> ScanStep? {
        guard let bytes = stagedBytes(at: position) else { return nil }
        guard let record = RecordView(_overrideLifetime(RawSpan(_unsafeBytes: bytes), borrowing: self)) else {
            return nil
        }
        return try body(record)
    }

    /// The position of the last record.
    package borrowing func lastPosition() throws -> Position {
        max(try lastCommittedPosition(), staged.last?.batch.lastPosition ?? .origin)
    }

    /// The position of the last record in the log's environment.
    borrowing func lastCommittedPosition() throws -> Position {
        var cursor = try transaction.cursor(in: tables.records)
        guard try cursor.move(.last) else { return .origin }
        return try Self.position(of: cursor.key)
    }

    /// Whether a scan goes on after a record.
    package enum ScanStep: Sendable { case proceed, stop }

    /// Calls `body` with every record from `first` to `last`, in order, each verified.
    ///
    /// - Parameters:
    ///   - isWanted: Whether a committed record is read, by its envelope alone, which is not verified yet.
    ///   - readsChecksums: Whether `body` reads checksums, or all bytes of a record: in a sealed log they cost a hash.
    ///   - entering: Called before the records of a batch that is not committed, unless others may replace them.
    /// - Throws: ``StoreError`` with code `recordDamaged` at the first record that is damaged or missing.
    package borrowing func scan(
        from first: Position, to last: Position, where isWanted: ((RecordView) -> Bool)? = nil,
        readsChecksums: Bool = true, entering: (PreparedAppend) -> Void = { _ in },
        _ body: (RecordView) throws -> ScanStep
    ) throws {
        guard first <= last else { return }
        let memory = staged.first?.batch.firstPosition ?? Position(.max)
        if first < memory {
            let end = last < memory ? last : Position(memory.rawValue - 1)
            guard try scanCommitted(from: first, to: end, where: isWanted, readsChecksums, body) == .proceed else {
                return
            }
        }
        for prepared in staged[firstStaged(reaching: first)...] where prepared.batch.firstPosition <= last {
            if replacements == nil { entering(prepared) }
            let base = prepared.batch.firstPosition.rawValue
            for index in 0..<prepared.batch.count where (first...last).contains(Position(base + UInt64(index))) {
                let bytes = RawSpan(_unsafeBytes: prepared.batch.bytes(at: index))
                guard let record = RecordView(bytes) else { continue }
                if try visit(record, body) == .stop { return }
            }
        }
    }

    /// Calls `body` with a record, or with its replacements.
    @inline(__always)
    private borrowing func visit(
        _ record: RecordView, _ body: (RecordView) throws -> ScanStep
    ) throws -> ScanStep {
        guard let replacements = try replacements?.rewriting.replacements(of: record) else { return try body(record) }
        for replacement in replacements where try replacement.read(body) == .stop { return .stop }
        return .proceed
    }

    @discardableResult
    borrowing func scanCommitted(
        from first: Position, to last: Position, where isWanted: ((RecordView) -> Bool)? = nil,
        _ readsChecksums: Bool = true, _ body: (RecordView) throws -> ScanStep
    ) throws -> ScanStep {
        guard first <= last else { return .proceed }
        let isSealed = tables.isSealed
        var cursor = try transaction.cursor(in: tables.records)
        var expected = max(first, Position(1))
        let start = expected.rawValue.bigEndian
        var isFound = try withUnsafeBytes(of: start) { try cursor.seek(RawSpan(_unsafeBytes: $0)) }
        while isFound, expected <= last {
            let found = try Self.position(of: cursor.key)
            if found != expected { expected = try skippingGaps(from: expected) }
            guard expected <= last else { break }
            guard found == expected else { throw Self.missing(expected) }
            if isWanted.map({ Self.isWanted(cursor.storedValue, $0) }) ?? true {
                let step =
                    try isSealed
                    ? visit(opened(cursor, at: expected, readsChecksums), body)
                    : visit(Self.verified(cursor.storedValue, at: expected), body)
                if step == .stop { return .stop }
            }
            expected = Position(expected.rawValue + 1)
            if expected <= last { isFound = try cursor.move(.next) }
        }
        if expected <= last, expected <= (try lastCommittedPosition()) { throw Self.missing(expected) }
        return .proceed
    }

    /// Calls `body` with every record from `last` down to `first`, each verified.
    package borrowing func scanBackwards(
        from last: Position, downTo first: Position, _ body: (RecordView) throws -> ScanStep
    ) throws {
        precondition(replacements == nil, "a rewritten log is read forward alone")
        let floor = max(first, Position(1))
        var expected = min(last, try lastPosition())
        while expected >= floor, let step = try forStaged(expected, body) {
            if step == .stop { return }
            expected = Position(expected.rawValue - 1)
        }
        expected = try skippingGaps(downFrom: expected)
        guard expected >= floor else { return }
        var cursor = try transaction.cursor(in: tables.records)
        let start = expected.rawValue.bigEndian
        var isFound = try withUnsafeBytes(of: start) { try cursor.seek(RawSpan(_unsafeBytes: $0)) }
        while isFound, expected >= floor {
            guard try Self.position(of: cursor.key) == expected else { throw Self.missing(expected) }
            if try body(opened(cursor, at: expected)) == .stop { return }
            guard expected > floor else { return }
            expected = try skippingGaps(downFrom: Position(expected.rawValue - 1))
            guard expected >= floor else { return }
            isFound = try cursor.move(.previous)
        }
        throw Self.missing(expected)
    }

    /// The first position that was recorded at `time` or later; one past the end where there is none.
    ///
    /// Recorded times never fall along the log, so this is a binary search, and where they rise they are what the clock
    /// said. Never a position in a gap.
    package borrowing func firstPosition(recordedAtOrAfter time: Timestamp) throws -> Position {
        var low: UInt64 = 1
        var high = try lastPosition().rawValue + 1
        while low < high {
            let middle = low + (high - low) / 2
            let position = try skippingGaps(from: Position(middle))
            guard let recorded = try recordedTime(at: position) else { throw Self.missing(position) }
            if recorded < time { low = position.rawValue + 1 } else { high = middle }
        }
        return try skippingGaps(from: Position(low))
    }

    /// The last position at which the clock said `time` or before; the origin where there is none.
    ///
    /// Between two falls of the clock, its times never fall: a binary search in each such stretch that begins in time.
    package borrowing func lastPosition(recordedBy time: Timestamp) throws -> Position {
        var last = try lastPosition()
        var found = Position.origin
        try forEachFall { fall in
            guard fall.position <= last else { return true }
            if fall.clockTime <= time {
                found = try lastPosition(in: fall.position.rawValue...last.rawValue, recordedBy: time)
            }
            last = Position(fall.position.rawValue - 1)
            return found == .origin
        }
        guard found == .origin, last > .origin else { return found }
        return try lastPosition(in: 1...last.rawValue, recordedBy: time)
    }

    /// The same in positions along which the clock never fell.
    private borrowing func lastPosition(
        in range: ClosedRange<UInt64>, recordedBy time: Timestamp
    ) throws -> Position {
        var (low, high, found) = (range.lowerBound, range.upperBound + 1, Position.origin)
        while low < high {
            let middle = low + (high - low) / 2
            let position = try skippingGaps(from: Position(middle))
            guard position.rawValue < high, let bytes = try recorded(at: position) else {
                high = middle
                continue
            }
            if RecordView(wellFormed: RawSpan(_unsafeBytes: bytes)).clockTime <= time {
                (found, low) = (position, position.rawValue + 1)
            } else {
                high = middle
            }
        }
        return found
    }

    /// Calls `body` with the falls of the clock, the last one first, until it returns false.
    private borrowing func forEachFall(_ body: (ClockFall) throws -> Bool) throws {
        for prepared in staged.reversed() {
            for fall in prepared.clockFalls.reversed() where try !body(fall) { return }
        }
        let space = SymbolSpace.clock
        var cursor = try transaction.cursor(in: tables.names)
        let end = SymbolTable.key(space, .max)
        var isFound = try cursor.seek(end.span.bytes) ? try cursor.move(.previous) : try cursor.move(.last)
        while isFound, cursor.key.load(at: 0, as: UInt8.self) == space.rawValue {
            let number = cursor.key.loadBigEndian(at: 1, as: UInt32.self) ?? 0
            let name = try LogTables.reportingDamage(space, number) { try LogTables.name(space, number, cursor.value) }
            guard let fall = ClockFall(name.span.bytes), fall.position > .origin else {
                throw SymbolTable.damage(space, number)
            }
            guard try body(fall) else { return }
            isFound = try cursor.move(.previous)
        }
    }

    /// Entries, pages and bytes of the records' table.
    package borrowing func statistics() throws -> TableStatistics {
        try transaction.statistics(of: tables.records)
    }

    private static func position(of key: RawSpan) throws -> Position {
        guard key.byteCount == 8, let number = key.loadBigEndian(at: 0, as: UInt64.self) else {
            throw StoreError(.logDamaged, "a record has a key of \(key.byteCount) bytes")
        }
        guard number > 0, number < Position.limit else {
            throw StoreError(.logDamaged, "a record has a key that is no position")
        }
        return Position(number)
    }

    /// Bytes that are no record are wanted, to be reported.
    private static func isWanted(_ stored: RawSpan, _ isWanted: (RecordView) -> Bool) -> Bool {
        stored.byteCount < RecordLayout.headerSize || isWanted(RecordView(wellFormed: stored))
    }

    @inline(__always) @_lifetime(copy bytes)
    private static func verified(_ bytes: RawSpan, at position: Position, isOpened: Bool = false) throws -> RecordView {
        guard let record = RecordView(bytes), isOpened ? record.position == position : record.isIntact(at: position)
        else { throw failedChecksum(position) }
        return record
    }

    /// The record of an entry of the table of records.
    @_lifetime(copy value)
    static func verified(_ key: RawSpan, _ value: RawSpan) throws -> RecordView {
        try verified(value, at: position(of: key))
    }

    @_lifetime(borrow cursor)
    private borrowing func opened(
        _ cursor: borrowing Cursor, at position: Position, _ readsChecksum: Bool = true
    ) throws -> RecordView {
        let bytes = try Self.reportingDamage(at: position) {
            try (readsChecksum ? cursor.value : cursor.valueOfStoredChecksum).withUnsafeBytes { $0 }
        }
        let value = _overrideLifetime(RawSpan(_unsafeBytes: bytes), borrowing: cursor)
        return try Self.verified(value, at: position, isOpened: tables.isSealed)
    }

    /// Runs a read of the record at a position; a seal that does not fit is damage of the record, or a forgery.
    @inline(__always)
    private static func reportingDamage<Result>(at position: Position, _ read: () throws -> Result) throws -> Result {
        do { return try read() } catch let error as LMDBError where error.isOfSealedValue {
            guard error.code == .brokenSeal else { throw failedChecksum(position) }
            throw StoreError(.logForged, "another record was sealed at the position", position: position)
        }
    }

    private static func failedChecksum(_ position: Position) -> StoreError {
        StoreError(.recordDamaged, "the record fails its checksum", position: position)
    }

    private static func missing(_ position: Position) -> StoreError {
        StoreError(.recordDamaged, "the record is missing", position: position)
    }
}
