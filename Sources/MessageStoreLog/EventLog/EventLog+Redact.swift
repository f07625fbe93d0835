internal import MessageStoreLMDB

extension EventLog {
    /// Removes the content of the record at `position` permanently; see ``redact(_:)-([Position])``.
    package func redact(_ position: Position, now: Timestamp = .unknown) throws {
        try redact([position], now: now)
    }

    /// Removes the content of records permanently, of all or none; envelopes and fields stay (I11).
    ///
    /// Doing it again writes nothing. The bytes live on in pages of the log's file until it is compacted, which is noted
    /// as owed; the journal, which may hold them, is overwritten before they are gone from the log. Nothing may be
    /// appended meanwhile.
    ///
    /// - Throws: ``StoreError`` with code `notFound`, `recordDamaged`, or `invalidArgument` where events of the type
    ///   hold no words of a person.
    package func redact(_ positions: [Position], now time: Timestamp = .unknown) throws {
        var redacted: [(position: Position, record: [UInt8])] = []
        var byteCount: UInt64 = 0
        do {
            let snapshot = try snapshot()
            for position in positions {
                guard let record = try redactedRecord(at: position, snapshot) else { continue }
                redacted.append((position, record.bytes))
                byteCount += UInt64(record.erased)
            }
        }
        guard !redacted.isEmpty else { return }
        // Nobody else may write to the journal meanwhile.
        try journaling.withLock { _ throws in
            try checkOwner()
            try commit()
            // First, so that whenever this ends, what is redacted is not in the journal.
            try eraseJournal()
            let tables = storage.tables
            let owed = try tables.owedTable(create: true)
            try tables.environment.write { transaction in
                for (position, record) in redacted {
                    try withUnsafeBytes(of: position.rawValue.bigEndian) { key in
                        try transaction.put(record.span.bytes, for: RawSpan(_unsafeBytes: key), in: tables.records)
                    }
                }
                if let owed { try OwedErasure(byteCount: byteCount, since: time).add(to: owed, in: transaction) }
            }
            compaction.withLock { $0?.changed += redacted.map(\.position) }
            try forceThroughCache()
        }
    }

    /// The positions of recorded events whose erasure has not been finished.
    package func unfinishedErasures() throws -> [Position] {
        try owedRows(of: storage.tables).compactMap(\.erasure.event)
    }

    /// How many records are blanked in one commit, where an erasure takes several.
    private static let recordsPerCommit = 4096

    /// Removes the content of records permanently, in commits of a bounded size, and then notes that the erasures are
    /// finished. A crash leaves them unfinished: doing it again goes on.
    ///
    /// - Parameters:
    ///   - events: The positions of all events whose erasure is not finished.
    ///   - positions: Of the records, which must have content or have had it.
    /// - Throws: As ``redact(_:now:)-([Position],_)``.
    package func finishErasures(of events: [Position], blanking positions: [Position], now: Timestamp) throws {
        for start in stride(from: 0, to: positions.count, by: Self.recordsPerCommit) {
            try redact(Array(positions[start..<min(start + Self.recordsPerCommit, positions.count)]), now: now)
        }
        let (finished, tables) = (Set(events), storage.tables)
        try removeOwed(in: tables) { $0.event.map(finished.contains) ?? false }
    }

    /// The record without its content; nil where it has none any more.
    private func redactedRecord(
        at position: Position, _ snapshot: borrowing LogSnapshot
    ) throws -> (bytes: [UInt8], erased: Int)? {
        guard let record = try snapshot.record(at: position) else {
            throw StoreError(.notFound, "no event is recorded there", position: position)
        }
        guard symbols.types.hasContent(record) else {
            let name = symbols.types.name(of: record.type)
            throw StoreError(.invalidArgument, "\(name) has no content to redact", position: position)
        }
        guard !record.flags.contains(.isRedacted) else { return nil }
        return (record.redactedBytes, record.content.byteCount)
    }
}

extension RecordView {
    /// The record's bytes as redaction leaves them.
    package var redactedBytes: [UInt8] {
        var redacted = ByteWriter()
        redacted.append(bytes.extracting(0..<bytes.byteCount - content.byteCount))
        redacted.set(flags.union(.isRedacted).rawValue, at: RecordLayout.flags)
        redacted.set(UInt32(0), at: RecordLayout.contentLength)
        RecordEncoder.seal(from: 0, in: &redacted)
        return redacted.bytes.copied
    }
}
