internal import MessageStoreLMDB

extension EventLog {
    /// Removes the content of the record at `position` for good; envelope and fields stay (I11).
    ///
    /// Doing it again changes nothing. The bytes may live on in free pages until those are reused.
    ///
    /// - Throws: ``StoreError`` with code `notFound`, `recordDamaged`, or `invalidArgument` where events of the type
    ///   hold no words of a person.
    package func redact(_ position: Position) throws {
        var redacted = ByteWriter()
        do {
            let snapshot = try snapshot()
            guard let record = try snapshot.record(at: position) else {
                throw StoreError(.notFound, "no event is recorded there", position: position)
            }
            guard record.type.hasRedactableContent else {
                throw StoreError(.invalidArgument, "\(record.type) has no content to redact", position: position)
            }
            guard !record.flags.contains(.isRedacted) else { return }
            redacted.append(record.bytes.extracting(0..<record.bytes.byteCount - record.content.byteCount))
            redacted.set(record.flags.union(.isRedacted).rawValue, at: RecordLayout.flags)
            redacted.set(UInt32(0), at: RecordLayout.contentLength)
            RecordEncoder<PendingSymbols>.seal(from: 0, in: &redacted)
        }
        try environment.write { transaction in
            let key = position.rawValue.bigEndian
            try withUnsafeBytes(of: key) { key in
                try transaction.put(redacted.bytes, for: RawSpan(_unsafeBytes: key), in: records)
            }
        }
    }
}
