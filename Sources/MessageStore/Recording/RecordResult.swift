/// The result of recording events.
public struct RecordResult: Sendable, Hashable {
    /// The position of each event: a new one, or that of the same event recorded before; nil for a message that its
    /// policy does not keep.
    public let positions: [Position?]
    /// The indices of the events that were known, in increasing order. They changed nothing, except that the server's
    /// echo of a message whose acknowledgement was lost is recorded as that acknowledgement, and that a copy of a
    /// message which adds a time or flags is recorded as a `MessageSnapshotReceived`.
    public let known: [Int]
    /// The indices of new events that are about messages of which the store has none: an acknowledgement or a failure
    /// of a message that was not queued in its conversation, or an edit, recall, deletion, receipt or snapshot of
    /// unknown messages, or an update of a change that never waited for the server.
    ///
    /// They are recorded all the same. An event that names a message by its server id takes effect when that message
    /// arrives; an event that names one by a local id never does. The logger is warned.
    public let unmatched: [Int]
    /// The position of the log's last event after the call.
    public let lastPosition: Position
    /// Whether what the new events erase is erased. A host that shows "deleted" shows it for ``ErasureProgress/done``.
    public let erasure: ErasureProgress

    /// The position of the first event, which is the one of a call with one event.
    public var position: Position? { positions.first ?? nil }
    /// How many of the events were known.
    public var duplicates: Int { known.count }
}

extension RecordResult {
    /// The same for the first events alone.
    func first(_ count: Int) -> RecordResult {
        // Not by `prefix(_:)`, which goes through a sequence if an array is asked for.
        var positions = positions
        positions.removeLast(positions.count - count)
        return RecordResult(
            positions: positions, known: known.filter { $0 < count }, unmatched: unmatched, lastPosition: lastPosition,
            erasure: erasure)
    }
}
