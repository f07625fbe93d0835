internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

extension ViewStore {
    /// Runs `body` with the views as they were at a position of the past, by replaying the log up to it.
    ///
    /// The replay is a build of its own and leaves the served views alone; it goes to disk only when it
    /// outgrows the buffer.
    package func replay<Result>(
        to position: Position, progress: Progress, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        let scratch = ViewStore(scratchBeside: self, of: configuration.catalog.all)
        try scratch.catchUp(to: position, progress: progress)
        return try scratch.read(body)
    }

    /// Rebuilds every view beside the served ones and compares them row by row.
    ///
    /// - Parameter limit: The maximum number of differences to report; all are counted.
    package func verify(limit: Int, progress: Progress) throws -> Verification {
        let scratch = ViewStore(scratchBeside: self, of: configuration.catalog.all)
        try scratch.catchUp(to: read { $0.position }, progress: progress)
        return try read { live in
            // What was appended while the replay ran; no flush, which would need the log that this thread holds.
            try scratch.foldRest(to: live.position)
            return try scratch.read { rebuilt in
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
