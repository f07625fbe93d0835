internal import MessageStoreLMDB

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
    ///   - isolation: Where the sequence is asked for the next package.
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
        let recorded = RecordedPackages(limit: configuration.groupCommit.batches)
        try await withThrowingTaskGroup(of: Void.self, isolation: isolation) { group in
            do {
                for try await package in packages {
                    let result = try await record(package.events, closing: package.closingEvent, .visible).withoutLast
                    switch recorded.add(package, result) {
                    case .waits: continue
                    case .isFull: try await group.next()
                    case .isFirst:
                        // The task before has ended; where it failed, this throws why.
                        try await group.next()
                        group.addTask { try await self.acknowledge(recorded, acknowledge) }
                    }
                }
                try Task.checkCancellation()
            } catch {
                try await group.next()
                throw error
            }
            try await group.next()
        }
    }

    /// Makes packages durable, all that have gathered at once, until none is left.
    private func acknowledge(
        _ recorded: RecordedPackages, _ acknowledge: (OfflinePackage, RecordResult) async throws -> Void
    ) async throws {
        do {
            while let gathered = recorded.take() {
                try await waitUntilDurable(through: gathered.last?.result.lastPosition)
                for (package, result) in gathered { try await acknowledge(package, result) }
            }
        } catch {
            recorded.stop()
            throw error
        }
    }
}

/// Packages that are recorded and not acknowledged yet.
private final class RecordedPackages: Sendable {
    typealias Element = (package: OfflinePackage, result: RecordResult)

    enum Addition {
        /// Nobody acknowledges packages.
        case isFirst
        /// Whoever acknowledges packages takes it.
        case waits
        /// The same, and no more should be added before.
        case isFull
    }

    private struct State {
        var elements: [Element] = []
        var isTaking = false
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) { self.limit = limit }

    func add(_ package: OfflinePackage, _ result: RecordResult) -> Addition {
        state.withLock { state in
            state.elements.append((package, result))
            guard state.isTaking else {
                state.isTaking = true
                return .isFirst
            }
            return state.elements.count < limit ? .waits : .isFull
        }
    }

    /// All that have gathered; nil where there are none, and the next to be added is the first.
    func take() -> [Element]? {
        state.withLock { state in
            state.isTaking = !state.elements.isEmpty
            defer { state.elements = [] }
            return state.elements.isEmpty ? nil : state.elements
        }
    }

    /// Nobody acknowledges packages any more.
    func stop() { state.withLock { $0.isTaking = false } }
}
