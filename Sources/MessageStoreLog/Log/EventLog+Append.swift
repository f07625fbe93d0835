internal import Dispatch
internal import MessageStoreLMDB

/// The encoded records of one commit: visible from ``EventLog/stage(_:)`` on, durable from a commit on.
package final class PreparedAppend: @unchecked Sendable {  // Nothing of it changes once it is made.
    package let batch: EncodedBatch
    let symbols: [PendingSymbols.Entry]
    /// Records at which the clock said less than at the record before; see ``EncodedBatch/clockFalls``.
    let clockFalls: [ClockFall]
    /// The newest time of a server up to the last record; nil if nobody has looked for it.
    let newestServerTime: Timestamp?
    /// The events' removals of what others say.
    package let erasing: [OwedErasure]
    /// Whether some of that is to be removed at once.
    var erases: Bool { erasing.contains { $0.state == .recorded } }
    /// Whether messages may disappear by what an event says; false for records that were encoded before.
    package let setsTimers: Bool
    /// The identities that the records claim, in their order; nil if nobody has looked for them.
    package let claims: [ClaimedIdentity]?

    package init(_ writer: consuming BatchWriter, claims: [ClaimedIdentity]? = nil) {
        self.claims = claims
        writer.leaveRecentSymbols()
        (symbols, erasing, setsTimers) = (writer.newSymbols, writer.erasing, writer.setsTimers)
        newestServerTime = writer.newestServerTime
        var batch = writer.batch
        // It may wait for long, with many others.
        batch.trim()
        clockFalls = batch.clockFalls
        self.batch = batch
    }

    /// Records that were encoded before.
    init(_ batch: consuming EncodedBatch, _ symbols: [PendingSymbols.Entry]) {
        (claims, setsTimers, newestServerTime) = (nil, false, nil)
        clockFalls = batch.clockFalls
        self.symbols = symbols
        erasing = (0..<batch.count).compactMap { batch[$0]?.erasure }
        self.batch = batch
    }
}

extension EventLog {
    /// Begins a batch at the log's end; it becomes part of the log when it is staged.
    ///
    /// Nothing is written. Writing and staging batches must not be done by two threads at once.
    ///
    /// - Parameters:
    ///   - account: The store's account, for the frozen flags of messages.
    ///   - now: The clock's time; recorded times never fall along the log, whatever the clock does.
    ///   - hiding: The flags of events that hide content: whether that is to be erased, and at once.
    ///   - count: About how many events there will be.
    package func beginBatch(
        account: UserID, now: Timestamp, hiding: RecordFlags = [], count: Int = 1
    ) -> BatchWriter {
        let end = end.withLock { $0 }
        let clock = Timestamp(milliseconds: min(max(now.milliseconds, 0), Timestamp.latest.milliseconds))
        let isBehind = clock < end.recordedTime
        return BatchWriter(
            account: account, symbols: symbols, firstPosition: Position(end.position.rawValue + 1),
            recordedTime: max(clock, end.recordedTime), clock: clock,
            newestServerTime: isBehind ? end.newestServerTime ?? findNewestServerTime() : end.newestServerTime,
            hiding: hiding, capacity: 192 * min(count + 4, 4096))
    }

    /// Of so many records the newest time of a server is looked for, once after an opening.
    private static let lookback: UInt64 = 4096

    /// The newest time of a server in the last records, as far as they can be read.
    private func findNewestServerTime() -> Timestamp {
        let last = lastPosition
        var newest = Timestamp.unknown
        try? snapshot().scanBackwards(
            from: last, downTo: Position(last.rawValue - min(last.rawValue, Self.lookback))
        ) { record in
            newest = max(newest, record.credibleServerTime ?? newest)
            return .proceed
        }
        return newest
    }
}

/// The ends of the log: of the committed, the durable and the visible events.
struct LogEnd: Sendable {
    /// The symbols of the records up to here; another table since each time that records were taken back.
    private(set) var symbols: SymbolTable
    /// The position of the last record, durable or not, and its time.
    var position = Position.origin
    var recordedTime = Timestamp.unknown
    /// The newest time of a server; nil if nobody has looked for it.
    var newestServerTime: Timestamp?
    /// The end of what is durable: committed, or in the journal.
    var durable = Position.origin
    /// The end of what is in the log's environment.
    var committed = Position.origin
    /// The batches that are visible in this process and not committed yet, in order.
    private(set) var staged: [PreparedAppend] = []
    /// The bytes of its records.
    private(set) var stagedBytes = 0

    /// The staged batches that are not durable yet.
    var waiting: ArraySlice<PreparedAppend> {
        var start = staged.endIndex
        while start > 0, staged[start - 1].batch.firstPosition > durable { start -= 1 }
        return staged[start...]
    }

    mutating func stage(_ prepared: PreparedAppend) {
        staged.append(prepared)
        stagedBytes += prepared.batch.byteCount
        position = prepared.batch.lastPosition
        recordedTime = prepared.batch.recordedTime
        newestServerTime = prepared.newestServerTime
    }

    /// Takes the last batch back.
    mutating func unstage() {
        guard let last = staged.popLast() else { return }
        stagedBytes -= last.batch.byteCount
        position = Position(last.batch.firstPosition.rawValue - 1)
        newestServerTime = nil
        symbols = SymbolTable(symbols, without: last.symbols)
    }

    /// Leaves the table of symbols to those who have it: frames of a journal that is followed are gone.
    mutating func goOn(with symbols: SymbolTable) { self.symbols = symbols }

    /// Notes that the first batches are committed.
    mutating func noteCommitted(_ group: [PreparedAppend], through last: Position) {
        staged.removeFirst(group.count)
        stagedBytes -= group.reduce(0) { $0 + $1.batch.byteCount }
        committed = last
        durable = max(durable, last)
    }
}

extension EventLog {
    /// Makes prepared events visible to the snapshots of this process; nothing is written.
    ///
    /// They are durable when ``makeDurable()`` has returned, together with all that was staged before.
    package func stage(_ prepared: PreparedAppend) {
        guard prepared.batch.count > 0 else { return }
        symbols.stage(prepared.symbols)
        end.withLock { $0.stage(prepared) }
    }

    /// Makes everything that is staged durable, at dense positions (I1): by one write to the journal, or by a commit
    /// where it has none or no room.
    ///
    /// When this returns, events staged before the call survive the failures that the environment's configuration names
    /// (I2). One call at a time: a second caller waits, and finds its events durable or takes all that have gathered.
    /// Each batch is durable as a whole or not at all (I6). If it throws, events that are not durable stay staged. The
    /// calling thread must hold no snapshot of the log.
    package func makeDurable() throws {
        try journaling.withLock { _ throws in
            let (group, durable) = end.withLock { ($0.waiting, $0.durable) }
            guard let last = group.last?.batch.lastPosition else { return }
            // An erasure begins with a commit, after which the journal's flush would be one too many. If there is no
            // room for it, the journal may have some.
            if group.contains(where: \.erases), (try? commit()) != nil { return }
            let outcome = try write(group, after: durable)
            guard outcome != .refused else { return try commit() }
            let count = end.withLock { end in
                end.durable = max(end.durable, last)
                return end.staged.count
            }
            if outcome == .writtenAndFull || count >= Self.greatestStagedCount { commitInBackground() }
        }
    }

    private func write(_ group: ArraySlice<PreparedAppend>, after durable: Position) throws -> Journal.Outcome {
        guard case .writing(let journal) = journal.withLock({ $0 }) else { return .refused }
        try configuration.commitFault?()
        try checkOwner()
        let outcome = journal.append(group, after: durable, isOwner: { ownership.withLock { $0.isOwner }() })
        guard outcome != .disowned else {
            throw StoreError(
                .alreadyOpen,
                "writer.lock was removed or replaced while events were written; a process that opened the store may have recorded them",
                path: environment.path)
        }
        return outcome
    }

    /// - Throws: ``StoreError`` with code `alreadyOpen` where the lock's file is not there any more, so that others may
    ///   write.
    package func checkOwner() throws {
        guard ownership.withLock({ $0.isOwner })() else {
            throw StoreError(
                .alreadyOpen,
                "writer.lock was removed or replaced while the store was open; another process may have opened it",
                path: environment.path)
        }
    }

    /// So many batches are committed whatever their size: each is looked at now and then.
    private static let greatestStagedCount = 4096

    private func commitInBackground() {
        let isDue = backgroundCommits.withLock { commits in
            defer { commits.isDue = true }
            return commits.isDue
        }
        guard !isDue else { return }
        commitQueue.async { [self] in
            backgroundCommits.withLock { $0.isDue = false }
            do {
                try commit()
                backgroundCommits.withLock { $0.hasFailed = false }
            } catch {
                // The journal has no room in the end, and whoever waits for a commit learns why.
                let known = backgroundCommits.withLock { commits in
                    defer { commits.hasFailed = true }
                    return commits
                }
                if !known.hasFailed { known.noteFailure("a commit of what is in the journal failed", error) }
            }
        }
    }

    /// Writes everything that is staged to the log's environment, in one commit (I6).
    ///
    /// When this returns, it is durable, and the journal holds nothing that is needed. Commits are made one at a time.
    /// If it throws, everything stays staged. The calling thread must hold no snapshot of the log.
    package func commit() throws {
        try committing.withLock { _ throws in
            let (group, committed) = end.withLock { ($0.staged, $0.committed) }
            guard let last = group.last?.batch.lastPosition else { return }
            try checkOwner()
            let tables = storage.tables
            try tables.makeTables(for: group)
            try tables.environment.write { transaction in
                for prepared in group { try tables.write(prepared, after: committed, in: transaction) }
            }
            // If a later step fails, the events are not written again.
            end.withLock { $0.committed = last }
            try forceThroughCache()
            try synchronizeWhereKept()
            noteCommitted(group, through: last)
            if case .writing(let journal) = journal.withLock({ $0 }) { journal.release(through: last) }
        }
    }

    func noteCommitted(_ group: [PreparedAppend], through last: Position) {
        end.withLock { $0.noteCommitted(group, through: last) }
        symbols.unstage(group.flatMap(\.symbols), areCommitted: true)
    }

    /// A commit of LMDB's is not durable on Apple's systems before this, and the journal is about to be used again.
    func forceThroughCache() throws {
        if configuration.durability == .full { try environment.forceThroughCache() }
    }

    /// Stages events and commits them at once.
    package func commit(_ prepared: PreparedAppend) throws {
        stage(prepared)
        try commit()
    }

    /// Takes back what was staged last, unless it is durable or in the log's environment already.
    ///
    /// Nothing may be prepared or staged meanwhile.
    ///
    /// - Returns: Whether it was taken back.
    package func unstage(_ prepared: PreparedAppend) -> Bool {
        journaling.withLock { _ in
            committing.withLock { _ in
                end.withLock { end in
                    guard end.staged.last === prepared,
                        max(end.durable, end.committed) < prepared.batch.firstPosition
                    else { return false }
                    end.unstage()
                    return true
                }
            }
        }
    }
}

extension LogTables {
    /// Makes the table that a commit of the batches needs and not every log has.
    func makeTables(for group: some Sequence<PreparedAppend>) throws {
        if group.contains(where: { !$0.erasing.isEmpty }) { _ = try owedTable(create: true) }
    }

    /// Puts the records of a batch that are after a position, and its symbols: a commit may have taken the first
    /// batches of a journal's frame. The log owes what its events erase from then on.
    ///
    /// - Parameters:
    ///   - symbols: The symbols that are written; nil for all of the batch.
    ///   - ledger: The erasure of values that the log never has, and does not owe.
    ///   - owesValues: See ``PreparedAppend/owed(after:owesValues:)``.
    func write(
        _ prepared: PreparedAppend, _ symbols: [PendingSymbols.Entry]? = nil, after end: Position,
        erasing ledger: LedgerErasure? = nil, owesValues: Bool = false, in transaction: borrowing WriteTransaction
    ) throws {
        for symbol in symbols ?? prepared.symbols { try write(symbol, in: transaction) }
        for fall in prepared.clockFalls where fall.position > end {
            let isFirst = fall.position == prepared.batch.firstPosition
            if try !isFirst || isBelowLast(fall, in: transaction) {
                try add(fall.bytes, to: .clock, in: transaction)
            }
        }
        let first = prepared.batch.firstPosition.rawValue
        let known = end.rawValue < first ? 0 : Int(min(end.rawValue - first + 1, UInt64(prepared.batch.count)))
        // One cursor stays at the end, which is not looked for again with each record.
        let cursor = try transaction.writeCursor(in: records)
        for index in known..<prepared.batch.count {
            let key = (first + UInt64(index)).bigEndian
            let record = RawSpan(_unsafeBytes: prepared.batch.bytes(at: index))
            let erased = ledger?.bytes(of: RecordView(wellFormed: record))
            try withUnsafeBytes(of: key) {
                let key = RawSpan(_unsafeBytes: $0)
                guard let erased else { return try cursor.put(record, for: key, mode: .append) }
                try cursor.put(erased.span.bytes, for: key, mode: .append)
            }
        }
        guard !prepared.erasing.isEmpty, let owed = try owedTable(create: false) else { return }
        for erasure in prepared.owed(after: ledger, owesValues: owesValues)
        where erasure.event.map({ $0 > end }) ?? false {
            try erasure.add(to: owed, in: transaction)
        }
    }

    /// Whether the clock said less than at the last record.
    private func isBelowLast(_ fall: ClockFall, in transaction: borrowing WriteTransaction) throws -> Bool {
        var cursor = try transaction.cursor(in: records)
        guard try cursor.move(.last) else { return false }
        do throws(LMDBError) { _ = try cursor.value } catch {
            // The time in it is lost.
            guard error.isOfSealedValue else { throw error }
            return false
        }
        guard let last = RecordView(try cursor.value) else { return false }
        return fall.clockTime < last.clockTime
    }
}

extension LogSnapshot {
    /// The end of the log.
    borrowing func end() throws -> LogEnd {
        let last = try lastPosition()
        guard last > .origin else { return LogEnd(symbols: symbols) }
        // A damaged last record must not keep the store from opening: one of the last intact ones has the time.
        var position = last
        while position > .origin, last.rawValue - position.rawValue < 1024 {
            if let time = try? recordedTime(at: position) {
                return LogEnd(symbols: symbols, position: last, recordedTime: time, durable: last, committed: last)
            }
            position = Position(position.rawValue - 1)
        }
        let records = UInt64(try statistics().entries) + tables.cut.count
        guard try lastCommittedPosition().rawValue <= records else {
            throw StoreError(.logDamaged, "the log has \(records) records, and the last has the key \(last)")
        }
        return LogEnd(symbols: symbols, position: last, durable: last, committed: last)
    }
}
