internal import Dispatch
internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// Folds the log into a write buffer and writes that to the views on disk.
///
/// When the filling layer reaches ``ViewConfiguration/bufferBytes`` it is frozen and written on another thread, while a
/// new one fills: two layers at most, then whoever folds waits.
final class ViewWriter: Sendable {
    struct State {
        var buffer: ViewBuffer
        /// Whether the frozen layer is being written, or nothing may be written now.
        var isFlushing = false
        /// Why the last flush failed; the frozen layer is kept and tried again.
        var flushFailure: (any Error)?
    }

    let log: EventLog
    let path: String
    let storeID: [UInt8]
    let configuration: ViewConfiguration
    let state: Locked<State>
    private let flushQueue = DispatchQueue(label: "MessageStore.flush", qos: .utility)

    init(
        _ log: EventLog, path: String, storeID: [UInt8], _ configuration: ViewConfiguration,
        _ buffer: sending ViewBuffer
    ) {
        self.log = log
        self.path = path
        self.storeID = storeID
        self.configuration = configuration
        state = Locked(State(buffer: buffer))
    }

    /// Folds the log up to `last`, flushing whenever the buffer is full.
    func catchUp(to last: Position, progress: FoldProgress = { _, _ in }) throws {
        while true {
            // Also where each call has little to fold.
            if state.withLock({ $0.buffer.active.position < last }) {
                try startFlushIfFull()
                try waitForRoom()
            }
            let reached = try state.withLock { state throws in
                let next = min(last.rawValue, state.buffer.active.position.rawValue + ViewBuffer.chunk)
                try state.buffer.fold(to: Position(next))
                return state.buffer.active.position
            }
            try progress(reached, last)
            guard reached < last else { return }
        }
    }

    /// Freezes the filling layer, if it is full and none is frozen, and writes it on the flush thread.
    func startFlushIfFull() throws {
        let shouldStart = try state.withLock { state throws in
            guard state.buffer.active.byteCount >= configuration.bufferBytes || state.buffer.frozen != nil else {
                return false
            }
            return try freeze(&state)
        }
        if shouldStart { flushQueue.async { self.flushFrozen() } }
    }

    /// Waits while two full layers are in memory (back-pressure to the appender).
    ///
    /// - Throws: Why the views cannot be written; nothing more is accepted until they can.
    func waitForRoom() throws {
        let limit = configuration.bufferBytes
        let mustRetry = state.waitUntil({ state in
            state.buffer.active.byteCount < limit || !state.isFlushing
        }) { state in
            state.buffer.active.byteCount >= limit && state.flushFailure != nil
        }
        if mustRetry { try flush() }
    }

    /// Writes everything that is buffered, and returns when it is done.
    ///
    /// - Returns: The position of the checkpoint.
    @discardableResult
    func flush() throws -> Position {
        while true {
            let shouldWrite = try state.waitUntil({ !$0.isFlushing }, then: { state throws in try freeze(&state) })
            let before = state.withLock { $0.buffer.checkpoint.position }
            guard shouldWrite else { return before }
            flushQueue.sync { self.flushFrozen() }
            if let failure = state.withLock({ $0.flushFailure }) { throw failure }
            // The log could still lose the events of what stays in memory.
            guard state.withLock({ $0.buffer.checkpoint.position }) > before else { return before }
        }
    }

    /// Waits until no work on the flush thread holds on to the environment.
    func waitForFlushThread() { flushQueue.sync {} }

    /// Freezes the filling layer unless one is frozen; answers whether there is a layer that nobody writes yet.
    private func freeze(_ state: inout State) throws -> Bool {
        guard try !state.isFlushing && state.buffer.freeze() else { return false }
        state.isFlushing = true
        return true
    }

    /// Layers of so many bytes free memory that is worth giving back.
    private static let largeLayer = 8 << 20

    /// Writes the frozen layer and gives its memory back.
    private func flushFrozen() {
        let isLarge = state.withLock { $0.buffer.frozen?.byteCount ?? 0 } >= Self.largeLayer
        configuration.measuringFlush(writeFrozen)
        if isLarge { FreedMemory.giveBack() }
    }

    /// Writes the frozen layer with its checkpoint, then lets it go. On failure it stays, to be tried again.
    private func writeFrozen() {
        do {
            // Nothing is written that the log could still lose: a checkpoint must never be ahead of it.
            try log.commit()
            if log.environment.configuration.durability == .relaxed { try log.environment.synchronize() }
            let isFollowing = log.environment.configuration.access == .readOnly
            // A process that only reads builds temporary views: it may write rows of any event.
            let committed = isFollowing ? Position(.max) : log.committedPosition
            guard let (environment, layer, old, folded) = try frozen(upTo: committed) else {
                return state.signal { $0.isFlushing = false }
            }
            precondition(layer.base == old.position, "a layer is written over another position than its base")
            #if DEBUG
            do { try layer.checkInvariants() } catch { preconditionFailure("\(error)") }
            #endif
            var checkpoint = old
            checkpoint.position = layer.position
            checkpoint.recordChecksum = try checksum(at: layer.position)
            try environment.write(layer, of: folded, checkpoint, pages: configuration.flushPages)
            let written = try environment.checkpoint(writtenAt: layer.position)
            // Letting go of so many rows takes milliseconds: not while readers wait.
            withExtendedLifetime(layer) {
                state.signal { state in
                    // Others may have taken the place of these views.
                    if state.buffer.environment === environment { state.buffer.noteWritten(written) }
                    state.isFlushing = false
                    state.flushFailure = nil
                }
            }
        } catch {
            state.signal { state in
                state.isFlushing = false
                state.flushFailure = error
            }
        }
    }

    /// The layer to write, and its base; nil if the log could still lose it. Makes the environment if there is none.
    private func frozen(
        upTo committed: Position
    ) throws -> (ViewEnvironment, RowLayer, on: Checkpoint, of: ProjectionSet)? {
        try state.withLock { state throws in
            guard let frozen = state.buffer.frozen, frozen.position <= committed else { return nil }
            let environment = try state.buffer.environment ?? .make(at: path, storeID: storeID, configuration)
            state.buffer.write(to: environment)
            return (environment, frozen, state.buffer.checkpoint, state.buffer.plan.folded)
        }
    }

    /// The checksum of a committed record: a record that the log could still lose must not be in a checkpoint.
    private func checksum(at position: Position) throws -> UInt64 {
        let snapshot = try log.durableSnapshot()
        guard let record = try snapshot.record(at: position) else {
            if try snapshot.gap(at: position) != nil { return 0 }
            throw StoreError(.recordDamaged, "the record is missing", position: position)
        }
        return record.checksum
    }
}

extension ViewWriter {
    /// Folds the log towards `last` on several threads, each with a part of the conversations, as long as
    /// enough events are left for that.
    func catchUpInShards(to last: Position, progress: FoldProgress) throws {
        let count = configuration.shards
        while count > 1, try folded(isWorth: last) {
            try flush()
            let (environment, checkpoint, plan, folded) = state.withLock {
                ($0.buffer.environment, $0.buffer.checkpoint, $0.buffer.plan, $0.buffer.active.position)
            }
            guard checkpoint.position == folded else { return }
            var shards = (0..<count).map {
                Locked(ViewBuffer(log, environment, checkpoint, plan, shard: FoldShard(index: $0, count: count)))
            }
            var reached = checkpoint.position
            var byteCount = 0
            repeat {
                reached = Position(min(last.rawValue, reached.rawValue + configuration.shardedEvents))
                let next = reached
                try Self.forEach(shards) { shard throws in
                    // No read of the log stays open for longer.
                    while shard.active.position < next {
                        let end = shard.active.position.rawValue + ViewBuffer.chunk
                        try shard.fold(to: Position(min(end, next.rawValue)))
                    }
                }
                byteCount = shards.reduce(0) { $0 + $1.withLock { $0.active.byteCount } }
                try progress(reached, last)
            } while reached < last && byteCount < configuration.bufferBytes
            try Self.forEach(shards) { _ = try $0.snapshot(at: $0.active.position) }
            let layers = shards.map { $0.withLock { $0.active } }
            shards = []
            try state.withLock { state throws in try state.buffer.take(layers) }
        }
    }

    private func folded(isWorth last: Position) throws -> Bool {
        state.withLock { state in
            let plan = state.buffer.plan
            // A host's projection may read rows of all conversations.
            return plan.folded.isDisjoint(with: plan.hosts)
                && last.rawValue >= state.buffer.active.position.rawValue + configuration.shardedEvents
        }
    }

    /// Runs `body` with each part on a thread of its own.
    ///
    /// - Throws: Of what they throw, the error of the earliest record.
    private static func forEach(
        _ shards: [Locked<ViewBuffer>], _ body: @Sendable (inout ViewBuffer) throws -> Void
    ) throws {
        let failures = Locked<[any Error]>([])
        DispatchQueue.concurrentPerform(iterations: shards.count) { index in
            do { try shards[index].withLock { try body(&$0) } } catch { failures.withLock { $0.append(error) } }
        }
        let failed = failures.withLock { $0 }
        let position = { (error: any Error) in (error as? StoreError)?.position ?? Position(.max) }
        if let first = failed.min(by: { position($0) < position($1) }) { throw first }
    }
}

extension ViewBuffer {
    /// Merges the rows that parts have folded over an empty buffer.
    fileprivate mutating func take(_ layers: [RowLayer]) throws {
        let base = try snapshot(at: active.position)
        let firsts = plan.catalog.tableBits(of: ProjectionSet(rawValue: plan.ofAccount))
        let merged = try RowLayer(merging: layers, of: plan.catalog.places, firsts: firsts) { table, key, rows throws in
            try FoldShard.row(merging: rows, of: layers.count, table, key, over: base)
        }
        take(merged)
    }
}
