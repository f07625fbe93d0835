internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

extension ViewStore {
    package typealias Progress = (_ reached: Position, _ last: Position) -> Void

    /// The digests of all projections at a position of the past, by replaying the log up to it.
    package func digests(at position: Position, progress: Progress) throws -> [ProjectionName: UInt64] {
        try replay(to: position, progress: progress) { try Self.digests(of: $0) }
    }

    /// Runs `body` with the views as they were at a position of the past, by replaying the log up to it.
    ///
    /// The replay is a build of its own and leaves the served views alone; it goes to disk only when it
    /// outgrows the buffer.
    package func replay<Result>(
        to position: Position, progress: Progress, _ body: (borrowing Views) throws -> Result
    ) throws -> Result {
        let scratch = ViewStore(scratchBeside: self)
        try scratch.catchUp(to: position, progress: progress)
        return try scratch.read(body)
    }

    /// Rebuilds every view beside the served ones and compares them row by row (I3).
    ///
    /// - Parameter limit: Differences reported at the most; all are counted.
    package func verify(limit: Int, progress: Progress) throws -> Verification {
        let scratch = ViewStore(scratchBeside: self)
        try scratch.catchUp(to: read { $0.position }, progress: progress)
        return try read { live in
            // What was appended while the replay ran; no flush, which would need the log that this thread holds.
            try scratch.foldRest(to: live.position)
            return try scratch.read { rebuilt in
                var differences: [ViewDifference] = []
                let count = try live.compare(with: rebuilt) { difference in
                    if differences.count < limit { differences.append(difference) }
                }
                return Verification(
                    position: live.position, digests: try Self.digests(of: live),
                    rebuiltDigests: try Self.digests(of: rebuilt), differences: differences, differenceCount: count)
            }
        }
    }

    /// Replaces views by what a replay of the log gives; the old ones are served meanwhile.
    ///
    /// - Parameters:
    ///   - projections: Which to replace; nil for all.
    ///   - exclusively: Runs its argument while nothing is appended.
    package func rebuild(
        _ projections: Set<ProjectionName>?, progress: Progress, exclusively: (() throws -> Void) throws -> Void
    ) throws {
        let scratch = ViewStore(scratchBeside: self)
        try scratch.catchUp(to: log.lastPosition, progress: progress)
        try exclusively {
            try scratch.catchUp(to: log.lastPosition)
            // Without sound views to put the rebuilt tables into, all are replaced.
            if let projections, (try? read { _ in }) != nil {
                try flush()
                try replace(projections.flatMap(\.tables), from: scratch)
            } else {
                try publish(scratch)
            }
        }
    }

    private func replace(_ tables: [ViewTable], from scratch: ViewStore) throws {
        let (environment, checkpoint) = state.withLock { ($0.environment, $0.checkpoint) }
        guard let environment else { return }
        try scratch.read { try environment.replace(tables, from: $0, checkpoint) }
        let written = try environment.checkpoint(writtenAt: checkpoint.position)
        state.withLock { $0.checkpoint = written }
    }

    /// Puts a finished build in the place of the served views; snapshots of the old ones stay whole.
    private func publish(_ scratch: ViewStore) throws {
        try scratch.flush()
        let built = scratch.state.withLock { ($0.environment, $0.checkpoint) }
        guard let environment = built.0 else { return }
        if configuration.durability != .none { try environment.environment.makeDurable() }
        let old = Self.temporaryPath(beside: path)
        try state.waitUntil({ !$0.isFlushing }) { state throws in
            try FileSystem.rename(path, to: old)
            try FileSystem.rename(scratch.path, to: path)
            scratch.isScratch.withLock { $0 = false }
            state.use(environment, built.1)
        }
        try FileSystem.synchronize(FileSystem.parent(of: path))
        try FileSystem.remove(old)
    }
}

/// What verifying the views showed.
package struct Verification: Sendable {
    package let position: Position
    package let digests: [ProjectionName: UInt64]
    package let rebuiltDigests: [ProjectionName: UInt64]
    /// The first differences, in the order of projections, tables and keys.
    package let differences: [ViewDifference]
    package let differenceCount: Int
}
