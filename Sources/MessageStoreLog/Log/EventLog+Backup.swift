internal import MessageStoreLMDB

extension EventLog {
    /// Writes what is durable to a new, empty log, without what the file holds of erased bytes, while this one is read
    /// and appended to, also by other processes.
    ///
    /// Records and symbols keep their bytes, positions and numbers. The new log owes erasures made meanwhile.
    ///
    /// - Parameters:
    ///   - new: Was opened by whoever calls, and is forced to the medium by it.
    ///   - ledger: Other erasures since; the new log never has the erased values.
    ///   - progress: Called now and then with the position reached and the last; its error ends the work.
    /// - Returns: The last position of the new log.
    /// - Throws: ``StoreError`` with code `recordDamaged` or `logDamaged`, or `positionCut` where another process cut records
    ///   off meanwhile; `LMDBError` or `FileError`.
    package func copy(
        to new: EventLog, erasing ledger: ErasureLedger? = nil,
        progress: (_ reached: Position, _ last: Position) throws -> Void
    ) throws -> Position {
        let old = storage.tables
        let owed = try owedRows(of: old)
        var copy = LogCopy(of: old, in: new.storage.tables, erasing: try ledger.map { try LedgerErasure($0, in: self) })
        try copy.copyMost(of: { lastPosition }) { try progress($0, durablePosition) }
        // A transaction reads only tables that were opened before it.
        _ = try storage.tables.owedTable(create: false)
        let snapshot = try durableSnapshot()
        guard snapshot.replayStart == old.cut.replayStart else {
            throw StoreError(.positionCut, "records were cut off while they were copied; begin again")
        }
        // Another process may have put other tables in the place of these: the same records, and owed rows of their own.
        let wasErased = try snapshot.tables !== old || owedRows(of: old) != owed
        let changed = wasErased ? try snapshot.positions(ofOthersThanIn: new.storage.tables) : []
        try copy.finish(snapshot, owed: owed, changed: changed)
        return try snapshot.lastPosition()
    }
}

extension LogSnapshot {
    /// Positions at which a copy has other bytes, from before an erasure.
    fileprivate borrowing func positions(ofOthersThanIn copy: LogTables) throws -> [Position] {
        try copy.environment.read { transaction in
            var positions: [Position] = []
            var cursor = try transaction.cursor(in: copy.records)
            try scan(from: Position(1), to: lastCommittedPosition()) { record in
                guard try cursor.move(.next) else { return .stop }
                if try !cursor.value.isEqual(to: record.bytes) { positions.append(record.position) }
                return .proceed
            }
            return positions
        }
    }
}

extension EventLog {
    /// Encodes the events of one commit as they were, with their times and flags; nothing is looked up or left out.
    ///
    /// - Parameters:
    ///   - events: All events of one commit, which must follow the log's end.
    ///   - account: The store's account.
    /// - Throws: ``StoreError`` with code `invalidArgument` where an event breaks a rule or is out of place.
    package func prepare(restoring events: [RecordedEvent], account: UserID) throws -> PreparedAppend {
        let end = end.withLock { $0 }
        var writer = BatchWriter(
            account: account, symbols: symbols, firstPosition: Position(end.position.rawValue + 1),
            recordedTime: events.first?.recordedTime ?? .unknown)
        for restored in events {
            try check(restored, in: writer.batch, after: end)
            if restored.isEdited {
                try writer.append(restored.event, inPlaceOf: RecordFlags(rawValue: restored.flags))
            } else {
                try writer.append(restored.event, flags: RecordFlags(rawValue: restored.flags))
            }
            let size = writer.appended?.bytes.byteCount
            if !restored.isRewritten, size != restored.byteCount {
                throw StoreError(
                    .invalidArgument,
                    "the event cannot be restored: its record had \(restored.byteCount) bytes and would have "
                        + "\(size ?? 0); was its content left out?",
                    position: restored.position)
            }
            writer.keep()
        }
        return PreparedAppend(writer)
    }

    private func check(_ restored: RecordedEvent, in batch: borrowing EncodedBatch, after end: LogEnd) throws {
        func invalid(_ problem: String) -> StoreError {
            StoreError(.invalidArgument, "the event cannot be restored: \(problem)", position: restored.position)
        }
        guard restored.position == batch.nextPosition else {
            throw invalid("position \(batch.nextPosition) is the next")
        }
        guard restored.commit == batch.firstPosition else {
            throw invalid("its commit began at \(restored.commit), not at \(batch.firstPosition)")
        }
        guard restored.recordedTime == batch.recordedTime else { throw invalid("events of one commit have one time") }
        guard restored.recordedTime >= end.recordedTime, restored.recordedTime._problem(.any) == nil else {
            throw invalid("its recorded time is before that of the event before it, or out of range")
        }
    }
}
