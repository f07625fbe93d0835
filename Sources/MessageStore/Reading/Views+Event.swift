extension Views {
    /// The event at a position, or nil where this read sees none; what a host's projection noted by its position gets
    /// its words from here.
    ///
    /// A projection itself gets the event without content, as all that it reads. Costs a point read.
    ///
    /// - Throws: `StoreError`, `recordDamaged` for a damaged record.
    public borrowing func event(at position: Position) throws -> RecordedEvent? {
        guard position <= self.position, let record = try snapshot.log.record(at: position) else { return nil }
        return try RecordedEvent(
            record, RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.isLentToProjection))
    }

    /// The event that was recorded under an id of the host's, or nil if this read sees none. Costs two point reads.
    ///
    /// A host whose service has ids for reactions, edits or members' comings records them as ``Event/id``, and finds
    /// here what such an id is about, for one when it was.
    ///
    /// - Throws: `StoreError`, `recordDamaged` for a damaged record.
    public borrowing func event(id: EventID) throws -> RecordedEvent? {
        let bytes = Array(id.rawValue.utf8)
        return try snapshot.position(of: Identity(.eventID, scope: 0, bytes: bytes.span.bytes)).flatMap {
            try event(at: $0)
        }
    }
}
