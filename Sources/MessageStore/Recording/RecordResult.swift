/// What recording a batch did.
public struct RecordResult: Sendable, Hashable {
    /// For each event its position: a new one, or that of the same event recorded before; nil for a message whose policy
    /// says that it is not kept.
    public let positions: [Position?]
    /// How many of the events were known. They changed nothing, except that the server's echo of a message whose
    /// acknowledgement was lost is recorded as that acknowledgement.
    public let duplicates: Int
    /// The position of the log's last event after the call.
    public let lastPosition: Position
}

extension RecordResult {
    /// The same without the position of the last event.
    var withoutLast: RecordResult {
        RecordResult(positions: positions.dropLast(), duplicates: duplicates, lastPosition: lastPosition)
    }
}
