internal import Dispatch

extension MessageStore {
    /// Records the packages of an offline sync as they arrive, and acknowledges each once it is durable.
    ///
    /// While packages are made durable, the next ones are prepared, and all that have gathered by then share the next
    /// flush: where a flush takes milliseconds, this is many times as fast as one `ingest(_:acknowledgement:)` after
    /// the other. Packages are recorded in their order, each as a whole or not at all, and show in every view before
    /// they are durable. At most twice as many wait to be acknowledged as ``GroupCommit/batches`` says; then the
    /// sequence is not asked for more.
    ///
    /// ```swift
    /// try await store.ingest(packages) { package, result in
    ///     try await server.confirm(package.index)
    /// }
    /// ```
    ///
    /// The first failure ends it. If a package cannot be recorded or the sequence fails, the packages before are made
    /// durable and acknowledged first; if that fails, its error is thrown instead. A failure of a flush or of
    /// `acknowledge` is noticed when the sequence gives its next element or ends: a sequence that waits for the
    /// acknowledgement of a package should end when that fails. Packages that were recorded and not acknowledged may
    /// stay; recorded again, their events are recognised.
    ///
    /// - Parameters:
    ///   - packages: The packages.
    ///   - isolation: Where the sequence is asked for the next package: on this actor, or, where there is none, on the
    ///     queue on which the store records.
    ///   - acknowledge: Called for each package in turn, once it is durable as configured, one call at a time. While it
    ///     runs, no later package is acknowledged.
    /// - Throws: As `record(_:acknowledgement:)`; `CancellationError` where the task is cancelled; what the sequence
    ///   and `acknowledge` throw.
    public func ingest<Packages: AsyncSequence>(
        _ packages: Packages, isolation: isolated (any Actor)? = #isolation,
        acknowledge: @escaping @Sendable (_ package: OfflinePackage, _ result: RecordResult) async throws -> Void = {
            _, _ in
        }
    ) async throws where Packages.Element == OfflinePackage {
        // So that no package waits for another thread to record it. An actor would follow to the queue, and keep it from
        // recording what others do while the sequence is at work.
        try await withTaskExecutorPreference(isolation == nil ? QueueExecutor(writeQueue) : nil, isolation: isolation) {
            try await recordAll(packages, isolation, acknowledge)
        }
    }

    private typealias Recorded = (package: OfflinePackage, result: RecordResult)

    private func recordAll<Packages: AsyncSequence>(
        _ packages: Packages, _ isolation: isolated (any Actor)?,
        _ acknowledge: @escaping @Sendable (OfflinePackage, RecordResult) async throws -> Void
    ) async throws where Packages.Element == OfflinePackage {
        let (recorded, next) = AsyncStream.makeStream(of: Recorded.self)
        let (acknowledged, done) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self, isolation: isolation) { group in
            // On a queue of its own, which may wait for a flush.
            let queue = DispatchQueue(label: "MessageStore.acknowledge", qos: .userInitiated)
            group.addTask(executorPreference: QueueExecutor(queue)) {
                defer {
                    next.finish()
                    done.finish()
                }
                try await self.acknowledgeAll(recorded, acknowledge) { done.yield() }
            }
            do {
                var (waiting, room) = (0, acknowledged.makeAsyncIterator())
                for try await package in packages {
                    let result = try await record(package.contents, closing: package.closingEvent, .visible)
                        .first(package.events.count)
                    // If the other task has ended, it throws below why.
                    guard case .enqueued = next.yield((package, result)) else { break }
                    waiting += 1
                    guard waiting / 2 >= configuration.groupCommit.batches else { continue }
                    await room.next(isolation: isolation)
                    waiting -= 1
                }
                try Task.checkCancellation()
            } catch {
                next.finish()
                try await group.next()
                throw error
            }
            next.finish()
            try await group.next()
        }
    }

    /// Acknowledges packages one after the other; a flush makes all durable that have gathered.
    private func acknowledgeAll(
        _ recorded: AsyncStream<Recorded>, _ acknowledge: (OfflinePackage, RecordResult) async throws -> Void,
        _ done: () -> Void
    ) async throws {
        for await (package, result) in recorded {
            try Task.checkCancellation()
            try makeDurable(through: result.lastPosition)
            try await acknowledge(package, result)
            done()
        }
    }

    /// On the calling thread, unlike the `async` form of the same.
    private func makeDurable(through position: Position) throws { try waitUntilDurable(through: position) }
}
