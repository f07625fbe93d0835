internal import MessageStoreLMDB

extension EventLog {
    /// Removes the content of the record at `position` permanently; see ``redact(_:)-([Position])``.
    package func redact(_ position: Position) throws {
        try redact([position])
    }

    /// Removes the content of records permanently, of all or none; envelopes and fields stay (I11).
    ///
    /// Doing it again writes nothing. The bytes may live on in free pages until those are reused; the journal, which
    /// may hold them, is overwritten before they are gone from the log. Nothing may be appended meanwhile.
    ///
    /// - Throws: ``StoreError`` with code `notFound`, `recordDamaged`, or `invalidArgument` where events of the type
    ///   hold no words of a person.
    package func redact(_ positions: [Position]) throws {
        var redacted: [(position: Position, record: [UInt8])] = []
        do {
            let snapshot = try snapshot()
            for position in positions {
                guard let record = try redactedRecord(at: position, snapshot) else { continue }
                redacted.append((position, record))
            }
        }
        guard !redacted.isEmpty else { return }
        // Nobody else may write to the journal meanwhile.
        try journaling.withLock { _ throws in
            try checkOwner()
            try commit()
            // First, so that whenever this ends, what is redacted is not in the journal.
            try eraseJournal()
            try environment.write { transaction in
                for (position, record) in redacted {
                    let key = position.rawValue.bigEndian
                    try withUnsafeBytes(of: key) { key in
                        try transaction.put(record.span.bytes, for: RawSpan(_unsafeBytes: key), in: records)
                    }
                }
            }
            try forceThroughCache()
        }
    }

    /// The record without its content; nil where it has none any more.
    private func redactedRecord(at position: Position, _ snapshot: borrowing LogSnapshot) throws -> [UInt8]? {
        guard let record = try snapshot.record(at: position) else {
            throw StoreError(.notFound, "no event is recorded there", position: position)
        }
        guard symbols.types.hasContent(record) else {
            let name = symbols.types.name(of: record.type)
            throw StoreError(.invalidArgument, "\(name) has no content to redact", position: position)
        }
        guard !record.flags.contains(.isRedacted) else { return nil }
        return record.redactedBytes
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
