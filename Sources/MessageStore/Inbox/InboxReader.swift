internal import Dispatch
internal import Logging
internal import MessageStoreSharing
internal import MessageStoreLMDB

/// Records what waits in the inbox of a store that is open for writing.
final class InboxReader: Sendable {
    private struct State: Sendable {
        var watch: FileWatch?
        /// Counts the times that it began; nil while the store is not open.
        var round: Int?
        var rounds = 0
        /// Whether a failure was logged and no look succeeded since.
        var isFailureLogged = false
    }

    private let directory: InboxDirectory
    private let queue = DispatchQueue(label: "MessageStore.inbox", qos: .userInitiated)
    private let state = Locked(State())
    /// Held during a look.
    private let reading = Locked(())

    /// Names that one look lists at a time.
    private static let namesPerLook = 4096

    init(_ path: String) throws { directory = try InboxDirectory(path) }

    /// Begins to record what waits and what comes.
    func begin(_ store: MessageStore) {
        let round = state.withLock { state in
            state.rounds += 1
            state.round = state.rounds
            return state.rounds
        }
        queue.async { [weak self, weak store] in
            guard let self, let store else { return }
            do { try StoreError.translating { try self.directory.create() } } catch {
                self.log(error, store)
            }
            let watch = FileWatch([self.directory.newPath], on: self.queue) { [weak self, weak store] in
                guard let self, let store else { return }
                self.look(store)
            }
            self.state.withLock { state in
                if state.round == round { state.watch = watch }
            }
            self.poll(store, round)
        }
    }

    /// Looks now and from time to time, whatever the system reports.
    private func poll(_ store: MessageStore, _ round: Int) {
        guard state.withLock({ $0.round == round }) else { return }
        look(store)
        store.scheduler.run(after: store.configuration.pollingInterval, on: queue) { [weak self, weak store] in
            guard let self, let store else { return }
            self.poll(store, round)
        }
    }

    private func look(_ store: MessageStore) {
        guard state.withLock({ $0.round != nil }) else { return }
        do {
            _ = try drain(store)
            state.withLock { $0.isFailureLogged = false }
        } catch let error as StoreError where error.isOfClosedStore {
            // The next opening continues.
        } catch {
            log(error, store)
        }
    }

    private func log(_ error: any Error, _ store: MessageStore) {
        let isNew = state.withLock { state in
            defer { state.isFailureLogged = true }
            return !state.isFailureLogged
        }
        guard isNew else { return }
        store.configuration.logger.warning(
            "the inbox cannot be read", metadata: ["path": "\(directory.path)", "error": "\(error)"])
    }

    /// Records the files that wait, in their order.
    func drain(_ store: MessageStore) throws -> InboxReport {
        try reading.withLock { _ throws in
            var report = InboxReport()
            try directory.removeUnfinished()
            while true {
                let names = try directory.next(limit: Self.namesPerLook)
                let before = report
                for name in names { try take(name, into: &report, store) }
                // Files that cannot be moved stay.
                if report == before { return report }
            }
        }
    }

    private func take(_ name: String, into report: inout InboxReport, _ store: MessageStore) throws {
        do {
            guard let bytes = try directory.read(name) else { return }
            var events = try InboxFile.decode(bytes, for: store.account, types: store.eventTypes)
            for index in events.indices where events[index].id == nil {
                events[index].id = EventID("inbox:\(name):\(index)")
            }
            let result = try store.record(events)
            try directory.remove(name)
            report.files += 1
            report.events += events.count - result.duplicates
        } catch let rejection as Rejection {
            try reject(name, because: rejection.reason, &report, store)
        } catch let error as StoreError where Self.isRefusal(error) {
            try reject(name, because: "\(error.code): \(error.message)", &report, store)
        }
    }

    private func reject(
        _ name: String, because reason: String, _ report: inout InboxReport, _ store: MessageStore
    ) throws {
        try directory.reject(name, because: reason)
        report.rejected += 1
        store.configuration.logger.warning(
            "a file of the inbox was rejected", metadata: ["file": "\(name)", "reason": "\(reason)"])
    }

    /// Whether the events of a file are refused now and at any other time.
    private static func isRefusal(_ error: StoreError) -> Bool {
        [.invalidArgument, .invalidTime, .notFound, .tokenReused, .packageMissing].contains(error.code)
    }

    /// Removes the files that were rejected; they may hold words that are to be erased.
    func removeRejected() throws { try directory.removeRejected() }

    func statistics() throws -> InboxStatistics {
        let waiting = try directory.waiting()
        return InboxStatistics(
            waitingFiles: waiting.files, waitingBytes: waiting.bytes, rejectedFiles: try directory.rejected())
    }

    /// Ends the looks and waits for the one that is running.
    func finish() {
        let watch = state.withLock { state in
            state.round = nil
            defer { state.watch = nil }
            return state.watch
        }
        watch?.cancel()
        queue.sync {}
    }
}
