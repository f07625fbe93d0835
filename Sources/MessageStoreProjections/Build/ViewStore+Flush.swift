internal import Dispatch
internal import MessageStoreLMDB
@_spi(Storage) package import MessageStoreLog

extension ViewStore {
    /// Freezes the filling layer, if it is full and none is frozen, and writes it on the flush thread.
    func startFlushIfFull() {
        guard !configuration.isReadOnly else { return }
        let shallStart = state.withLock { state in
            guard state.active.byteCount >= configuration.bufferBytes || state.frozen != nil else { return false }
            return freeze(&state)
        }
        if shallStart { flushQueue.async { self.writeFrozen() } }
    }

    /// Freezes the filling layer unless one is frozen; answers whether there is a layer that nobody writes yet.
    private func freeze(_ state: inout State) -> Bool {
        guard !state.isFlushing else { return false }
        if state.frozen == nil {
            guard state.active.position > state.checkpoint.position, !state.needsRecovery else { return false }
            state.frozen = state.active
            state.active = state.emptyLayer(at: state.active.position)
        }
        state.isFlushing = true
        return true
    }

    /// Writes the frozen layer with its checkpoint, then lets it go. On failure it stays, to be tried again.
    private func writeFrozen() {
        do {
            // Nothing is written that the log could still lose: a checkpoint must never be ahead of it.
            try log.commitStaged()
            if log.environment.configuration.durability == .relaxed { try log.environment.synchronize() }
            let committed = log.committedPosition
            let (environment, layer, old, folded) = try state.withLock { state throws in
                guard let frozen = state.frozen, frozen.position <= committed else {
                    return (ViewEnvironment?.none, RowLayer?.none, state.checkpoint, state.plan.folded)
                }
                if state.environment == nil {
                    state.environment = try Self.newEnvironment(path: path, storeID: storeID, configuration)
                }
                return (state.environment, frozen, state.checkpoint, state.plan.folded)
            }
            guard let environment, let layer else { return state.signal { $0.isFlushing = false } }
            precondition(layer.base == old.position, "a layer is written over another position than its base")
            #if DEBUG
            do { try layer.checkInvariants() } catch { preconditionFailure("\(error)") }
            #endif
            var checkpoint = old
            checkpoint.position = layer.position
            checkpoint.recordChecksum = try checksum(at: layer.position)
            try environment.write(layer, of: folded, checkpoint)
            let written = try environment.checkpoint(writtenAt: layer.position)
            // Letting go of so many rows takes milliseconds: not while readers wait.
            withExtendedLifetime(layer) {
                state.signal { state in
                    state.checkpoint = written
                    state.frozen = nil
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

    /// The checksum of a committed record: what the log could still lose must not be in a checkpoint.
    private func checksum(at position: Position) throws -> UInt64 {
        let snapshot = try log.committedSnapshot()
        guard let record = try snapshot.record(at: position) else {
            throw StoreError(.recordDamaged, "the record is missing", position: position)
        }
        return record.checksum
    }

    /// Waits while two full layers are in memory (back-pressure to the appender).
    ///
    /// - Throws: Why the views cannot be written; nothing more is accepted until they can.
    package func waitForRoom() throws {
        let limit = configuration.bufferBytes
        let mustRetry = state.waitUntil({ state in
            state.active.byteCount < limit || !state.isFlushing
        }) { state in
            state.active.byteCount >= limit && state.flushFailure != nil
        }
        if mustRetry { try flush() }
    }

    /// Writes everything that is buffered, and returns when it is done.
    ///
    /// - Returns: The position of the checkpoint.
    @discardableResult
    package func flush() throws -> Position {
        guard !configuration.isReadOnly else { return state.withLock { $0.checkpoint.position } }
        if !isScratch.withLock({ $0 }) { try foldNew() }
        while true {
            let shallWrite = state.waitUntil({ !$0.isFlushing }, then: { freeze(&$0) })
            guard shallWrite else { return state.withLock { $0.checkpoint.position } }
            flushQueue.sync { self.writeFrozen() }
            if let failure = state.withLock({ $0.flushFailure }) { throw failure }
        }
    }

    /// Writes everything that is buffered and waits until no work on other threads holds on to the environment, so that it
    /// can be opened again as soon as the caller lets go.
    package func finish() throws {
        defer {
            foldQueue.sync {}
            flushQueue.sync {}
        }
        try flush()
    }

    /// Where the views stand: in memory and on disk.
    package var bufferStatus: BufferStatus {
        state.withLock { state in
            BufferStatus(
                position: state.active.position, checkpoint: state.checkpoint.position,
                rows: state.active.rowCount + (state.frozen?.rowCount ?? 0),
                bytes: state.active.byteCount + (state.frozen?.byteCount ?? 0))
        }
    }
}

/// Where the views stand: in memory and on disk.
package struct BufferStatus: Sendable {
    package let position: Position
    package let checkpoint: Position
    package let rows: Int
    package let bytes: Int
}
