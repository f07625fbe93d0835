internal import Dispatch
@_spi(Storage) internal import MessageStoreLog

extension Views {
    /// The event at a position, or nil if this read sees none; a host's projection that noted the position gets the
    /// words here.
    ///
    /// A projection itself gets the event without content, as all that it reads. Costs a point read.
    ///
    /// - Throws: `StoreError`, `recordDamaged` for a damaged record.
    public borrowing func event(at position: Position) throws -> RecordedEvent? {
        guard position <= self.position, let record = try snapshot.log.record(at: position) else { return nil }
        return try RecordedEvent(
            record, RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.scope.isLentToProjection))
    }

    /// The event that was recorded under an id of the host's, or nil if this read sees none. Costs two point reads.
    ///
    /// A host whose service has ids for reactions, edits or members' comings records them as ``Event/id``, and finds
    /// the subject of such an id here, if it has one.
    ///
    /// - Throws: `StoreError`, `recordDamaged` for a damaged record.
    public borrowing func event(id: EventID) throws -> RecordedEvent? {
        let bytes = Array(id.rawValue.utf8)
        return try snapshot.position(of: Identity(.eventID, scope: 0, bytes: bytes.span.bytes)).flatMap {
            try event(at: $0)
        }
    }
}

extension MessageStore {
    /// Runs `body` with every view at one position.
    ///
    /// All queries of one body see the same moment, which is not older than the last append that returned in this
    /// process. Appends continue meanwhile. Keep the body short: the pages that it reads cannot be freed, and the store
    /// must not be used from inside it, which throws `nestedAccess`. Settings that end at some time, as
    /// `ConversationMuted.until`, are compared with the configuration's clock, which the store reads once when the read
    /// begins.
    ///
    /// - Throws: `StoreError`, or what `body` throws.
    public func read<Result>(_ body: (borrowing Views) throws -> Result) throws -> Result {
        let resources = try opened()
        return try StoreError.translating {
            try resources.views.read(at: configuration.now(), body)
        }
    }

    /// Runs `body` with every view at one position; the `async` form of ``read(_:)``.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Views) throws -> Result
    ) async throws -> Result {
        try await run(on: readQueue) { try self.read(body) }
    }
}

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
