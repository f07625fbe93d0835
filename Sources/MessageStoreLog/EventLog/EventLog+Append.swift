internal import MessageStoreLMDB

/// The encoded records of one commit: visible from ``EventLog/stage(_:)`` on, durable from a commit on.
package final class PreparedAppend: @unchecked Sendable {  // Nothing of it changes once it is made.
    package let batch: EncodedBatch
    let symbols: [PendingSymbols.Entry]
    /// Where the clock said less than at the record before; see ``EncodedBatch/clockFalls``.
    let clockFalls: [ClockFall]
    /// The newest time of a server up to the last record; nil if nobody has looked for it.
    let newestServerTime: Timestamp?
    /// What the events remove of what others say.
    package let erasing: [OwedErasure]
    /// Whether some of that is to be removed at once.
    var erases: Bool { erasing.contains { $0.state == .recorded } }
    /// Whether messages may disappear by what an event says; false for records that were encoded before.
    package let setsTimers: Bool
    /// The identities that the records claim, in their order; nil where nobody has looked for them.
    package let claims: [ClaimedIdentity]?

    package init(_ writer: consuming BatchWriter, claims: [ClaimedIdentity]? = nil) {
        self.claims = claims
        (symbols, erasing, setsTimers) = (writer.newSymbols, writer.erasing, writer.setsTimers)
        newestServerTime = writer.newestServerTime
        var batch = writer.batch
        // It may wait for long, with many others.
        batch.trim()
        clockFalls = batch.clockFalls
        self.batch = batch
    }

    /// - Parameters:
    ///   - erasedUpTo: The events up to here erased already what they erase.
    ///   - owesValues: Whether those that erase values owe it all the same: records before the batch have them.
    init(
        _ batch: consuming EncodedBatch, _ symbols: [PendingSymbols.Entry], erasedUpTo: Position = .origin,
        owesValues: Bool = false
    ) {
        (claims, setsTimers, newestServerTime) = (nil, false, nil)
        clockFalls = batch.clockFalls
        self.symbols = symbols
        var erasing: [OwedErasure] = []
        for index in 0..<batch.count {
            guard let record = batch[index],
                record.position > erasedUpTo || owesValues && record.type == .valuesErased
            else { continue }
            if let erasure = record.erasure { erasing.append(erasure) }
        }
        self.erasing = erasing
        self.batch = batch
    }
}

extension EventLog {
    /// Begins a batch at the log's end; it becomes part of the log when it is staged.
    ///
    /// Nothing is written. Writing and staging batches must not be done by two threads at once.
    ///
    /// - Parameters:
    ///   - account: The store's account, for the frozen flags of messages.
    ///   - now: The clock's time; recorded times never fall along the log, whatever the clock does.
    ///   - hiding: The flags of events that hide content: whether that is to be erased, and at once.
    ///   - count: About how many events there will be.
    package func beginBatch(
        account: UserID, now: Timestamp, hiding: RecordFlags = [], count: Int = 1
    ) -> BatchWriter {
        let end = end.withLock { $0 }
        let clock = Timestamp(milliseconds: min(max(now.milliseconds, 0), Timestamp.latest.milliseconds))
        let isBehind = clock < end.recordedTime
        return BatchWriter(
            account: account, symbols: symbols, firstPosition: Position(end.position.rawValue + 1),
            recordedTime: max(clock, end.recordedTime), clock: clock,
            newestServerTime: isBehind ? end.newestServerTime ?? findNewestServerTime() : end.newestServerTime,
            hiding: hiding, capacity: 192 * min(count + 4, 4096))
    }

    /// Of so many records the newest time of a server is looked for, once after an opening.
    private static let lookback: UInt64 = 4096

    /// The newest time of a server in the last records, as far as they can be read.
    private func findNewestServerTime() -> Timestamp {
        let last = lastPosition
        var newest = Timestamp.unknown
        try? snapshot().scanBackwards(
            from: last, downTo: Position(last.rawValue - min(last.rawValue, Self.lookback))
        ) { record in
            newest = max(newest, record.credibleServerTime ?? newest)
            return .proceed
        }
        return newest
    }
}
