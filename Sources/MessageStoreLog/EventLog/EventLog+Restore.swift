internal import MessageStoreLMDB

/// An event to be appended exactly as another log had it.
package struct RestoredEvent: Sendable {
    package let position: Position
    package let commit: Position
    package let recordedTime: Timestamp
    package let flags: RecordFlags
    package let event: Event
    /// The bytes of its record; nil where the event was changed since.
    package let byteCount: Int?
    /// Whether the event replaces the one that had the flags.
    package let isEdited: Bool

    package init(
        position: Position, commit: Position, recordedTime: Timestamp, flags: RecordFlags, event: Event,
        byteCount: Int?, isEdited: Bool = false
    ) {
        self.isEdited = isEdited
        self.byteCount = byteCount
        self.position = position
        self.commit = commit
        self.recordedTime = recordedTime
        self.flags = flags
        self.event = event
    }
}

extension EventLog {
    /// Encodes the events of one commit as they were, with their times and flags; nothing is looked up or left out.
    ///
    /// - Parameters:
    ///   - events: All events of one commit, which must follow the log's end.
    ///   - account: The store's account.
    /// - Throws: ``StoreError`` with code `invalidArgument` where an event breaks a rule or is out of place.
    package func prepare(restoring events: [RestoredEvent], account: UserID) throws -> PreparedAppend {
        let end = end.withLock { $0 }
        var writer = BatchWriter(
            account: account, symbols: symbols, firstPosition: Position(end.position.rawValue + 1),
            recordedTime: events.first?.recordedTime ?? .unknown)
        for restored in events {
            try check(restored, in: writer.batch, after: end)
            if restored.isEdited {
                try writer.append(restored.event, inPlaceOf: restored.flags)
            } else {
                try writer.append(restored.event, flags: restored.flags)
            }
            let size = writer.appended?.bytes.byteCount
            if let byteCount = restored.byteCount, size != byteCount {
                throw StoreError(
                    .invalidArgument,
                    "the event cannot be restored: its record had \(byteCount) bytes and would have "
                        + "\(size ?? 0); was its content left out?",
                    position: restored.position)
            }
            writer.keep()
        }
        return PreparedAppend(writer)
    }

    private func check(_ restored: RestoredEvent, in batch: borrowing EncodedBatch, after end: LogEnd) throws {
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
