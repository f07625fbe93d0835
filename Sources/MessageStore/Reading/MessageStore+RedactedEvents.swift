@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// Calls `body` with the events between two positions, both included, each as redaction would leave it.
    ///
    /// - Parameters:
    ///   - first: The first position.
    ///   - last: The last position.
    ///   - body: Called with each event, and whether it had content.
    /// - Throws: `StoreError`, `recordDamaged` with the position of a damaged record; or what `body` throws.
    package func forEachRedactedEvent(
        from first: Position, to last: Position, _ body: (_ event: RecordedEvent, _ hadContent: Bool) throws -> Void
    ) throws {
        let resources = try opened()
        try StoreError.translating {
            let snapshot = try resources.log.snapshot()
            let decoder = RecordDecoder(symbols: snapshot.symbols, keepsSymbols: true)
            try snapshot.scan(from: first, to: last) { record in
                if record.content.byteCount == 0 {
                    try body(RecordedEvent(record, decoder), false)
                } else {
                    let bytes = record.redactedBytes
                    guard let redacted = RecordView(bytes.span.bytes) else {
                        throw StoreError(.recordDamaged, "the record cannot be cut", position: record.position)
                    }
                    try body(RecordedEvent(redacted, decoder), true)
                }
                return .proceed
            }
        }
    }
}
