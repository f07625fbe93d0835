/// The views of a store: served by the process that writes it, or followed by one that only reads.
package protocol ViewStore: AnyObject, Sendable {
    var log: EventLog { get }

    /// The views at the log's last position.
    @available(*, noasync)
    func snapshot() throws -> ViewSnapshot

    /// An empty build of all projections, next to these views.
    func makeScratch() -> ScratchViews

    /// Views next to these that go to any position of the log.
    func makeReplayed(_ options: ReplayedViews.Options) throws -> ReplayedViews

    /// How far the views are: in memory and on disk.
    var bufferStatus: BufferStatus { get }

    /// The views on disk; nil where there are none.
    var environment: ViewEnvironment? { get }
}

extension ViewStore {
    /// Runs `body` with the views at the log's last position. Never waits longer than the fold of what is new; holds
    /// back no writer.
    ///
    /// - Parameter moment: What limits of time are compared with; nil for the recorded time of the last event.
    package func read<Result>(
        at moment: Timestamp? = nil, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        var views = Views(try snapshot())
        views.snapshot.moment = moment
        return try body(views)
    }

    /// Runs `body` with the views as they were at a position of the past, by replaying the log up to it.
    ///
    /// The replay is a build of its own and leaves these views alone; see ``ScratchViews``.
    package func replay<Result>(
        to position: Position, progress: FoldProgress, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        try log.checkIsWhole(at: position)
        let scratch = makeScratch()
        try scratch.catchUp(to: position, progress: progress)
        // Records may have been cut off meanwhile.
        try log.checkIsWhole(at: position)
        let views = Views(try scratch.snapshot())
        return try body(views)
    }

    /// Builds every view a second time, next to these, and compares both row by row.
    ///
    /// - Parameter limit: The maximum number of differences to report; all are counted.
    package func verify(limit: Int, progress: FoldProgress) throws -> Verification {
        while true {
            let base = log.base
            let verification = try verifyOnce(limit: limit, progress: progress)
            // Where records were cut off meanwhile, both are of other logs.
            if log.base == base { return verification }
        }
    }

    private func verifyOnce(limit: Int, progress: FoldProgress) throws -> Verification {
        let scratch = makeScratch()
        try scratch.catchUp(to: snapshot().position, progress: progress)
        let live = try snapshot()
        // Records that were appended while the replay ran; no flush, which would need the log that this thread holds.
        try scratch.fold(to: live.position)
        let rebuilt = try scratch.snapshot()
        var differences: [ViewDifference] = []
        let count = try live.compare(with: rebuilt) { difference in
            if differences.count < limit { differences.append(difference) }
        }
        let served = try live.digests()
        return Verification(
            position: live.position, digests: served,
            rebuiltDigests: try rebuilt.digests().filter { served[$0.key] != nil }, differences: differences,
            differenceCount: count)
    }
}

/// What verifying the views showed.
package struct Verification: Sendable {
    package let position: Position
    package let digests: [ProjectionID: UInt64]
    package let rebuiltDigests: [ProjectionID: UInt64]
    /// The first differences, in the order of projections, tables and keys.
    package let differences: [ViewDifference]
    package let differenceCount: Int
}
