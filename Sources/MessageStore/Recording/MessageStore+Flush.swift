internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

extension MessageStore {
    /// Writes buffered rows of the views now. Not needed for durability, which the log provides.
    ///
    /// - Throws: `StoreError`.
    public func flush() throws {
        let resources = try openedForWriting()
        try StoreError.translating { _ = try resources.views.flush() }
    }

    /// Writes buffered rows of the views now; the `async` form of `flush()`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func flush() async throws {
        try await run(on: readQueue) { try self.flush() }
    }

    /// How many bytes of rows, and the rows of how many events, may stay in the buffer when nothing is appended: a lone
    /// send then costs the journal's flush and no other, and the next opening folds few events.
    static let (bytesLeftByIdleFlush, eventsLeftByIdleFlush) = (64 << 10, 1000)

    /// Writes the buffer, and compacts where that is due, once nothing was appended for a while; the writer's lock is
    /// held.
    func scheduleIdleFlush(_ state: inout WriterState) {
        state.hasAppendedSinceIdleCheck = true
        guard !state.isIdleFlushScheduled else { return }
        state.isIdleFlushScheduled = true
        state.hasAppendedSinceIdleCheck = false
        scheduler.run(after: configuration.idleFlushDelay, on: .global(qos: .utility)) { [weak self] in
            self?.flushIfIdle()
        }
    }

    private func flushIfIdle() {
        let isIdle = writer.withLock { state in
            state.isIdleFlushScheduled = false
            guard state.hasAppendedSinceIdleCheck else { return true }
            scheduleIdleFlush(&state)
            return false
        }
        guard isIdle else { return }
        do {
            let status = try openedForWriting().views.bufferStatus
            let events = status.position.rawValue - status.checkpoint.rawValue
            if status.bytes > Self.bytesLeftByIdleFlush || events > Self.eventsLeftByIdleFlush { try flush() }
        } catch let error as StoreError where error.isOfClosedStore {
            // Closing wrote the buffer.
        } catch {
            configuration.logger.warning("writing the views failed", metadata: ["error": "\(error)"])
        }
        // Closing waits for this queue.
        rebuildQueue.async { [weak self] in self?.compactIfDue() }
    }
}
