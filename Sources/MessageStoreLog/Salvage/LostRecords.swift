/// Makes the records that take the place of lost ones.
struct LostRecords: ~Copyable {
    private var encoder: RecordEncoder
    /// The last position and its time.
    private var last = (position: UInt64(0), time: Timestamp.unknown)

    init(account: UserID, symbols: SymbolTable) {
        encoder = RecordEncoder(account: account, symbols: symbols)
    }

    /// The records that lead from the last one to `next`.
    ///
    /// Those that `next` says were of its own commit are, and have its time; the others are a commit of their own, at
    /// the time of the record before them.
    ///
    /// - Parameter cut: Positions of which nothing was lost.
    mutating func fill(
        before next: RecordView, except cut: PositionSet
    ) throws -> [(position: UInt64, bytes: [UInt8])] {
        let gap = (last.position + 1..<next.position.rawValue).filter { !cut.contains(Position($0)) }
        // Times never fall; a record from a page that is not live may say otherwise.
        let nextTime = max(next.recordedTime, last.time)
        let commit = next.position.rawValue - min(UInt64(next.commitIndex), next.position.rawValue - 1)
        let lost = try gap.map { position in
            let isInNext = position >= commit
            var writer = ByteWriter()
            try encoder.encode(
                Event(RecordLost()),
                at: .init(
                    position: Position(position),
                    commitIndex: UInt32(clamping: position - (isInNext ? commit : gap[0])),
                    recordedTime: isInNext ? nextTime : last.time),
                into: &writer)
            RecordEncoder.seal(from: 0, in: &writer)
            return (position, writer.bytes.copied)
        }
        last = (next.position.rawValue, nextTime)
        return lost
    }
}
