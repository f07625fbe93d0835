internal import Dispatch
internal import Logging
internal import MessageStoreLMDB
internal import MessageStoreSealing
internal import MessageStoreSharing

/// Records the files that wait in the inbox of a store that is open for writing.
final class InboxReader: Sendable {
    private let directory: InboxDirectory
    private let keyring: StoreKeyring
    private let watch: PolledWatch
    /// Held during a look.
    private let reading = Locked(())

    /// Names that one look lists at a time; of so many, the order is theirs.
    private static let namesPerLook = 65_536

    /// - Parameter keyring: Opens sealed files.
    init(_ path: String, _ keyring: StoreKeyring) throws {
        self.keyring = keyring
        directory = try InboxDirectory(path)
        watch = PolledWatch(
            Worker(
                "MessageStore.inbox", qos: .userInitiated, failure: "files of the inbox cannot be recorded",
                metadata: ["path": "\(directory.path)"]))
    }

    /// Begins to record files: waiting and new ones.
    func begin(_ store: MessageStore) {
        // The watch needs the directories. If they cannot be made, the first look says so.
        watch.begin([directory.newPath], of: store, after: { [directory] in try? directory.create() }) {
            [weak self] store, _ in try self?.drainAll(store)
        }
    }

    /// Records the files that wait; a failure is logged once.
    func look(_ store: MessageStore) {
        do { try drainAll(store) } catch let error as StoreError where error.isOfClosedStore {
            // The next opening continues.
        } catch {
            watch.worker.log(error, store)
        }
    }

    private func drainAll(_ store: MessageStore) throws {
        if let failure = try StoreError.translating({ try drain(store) }).failure { throw failure }
    }

    /// Records the files that wait, in their order.
    ///
    /// - Returns: The report, and the first error of a file that has to wait.
    func drain(_ store: MessageStore) throws -> (report: InboxReport, failure: (any Error)?) {
        try reading.withLock { _ throws in
            try directory.create()
            directory.removeUnfinished()
            var (report, failure) = (InboxReport(), (any Error)?.none)
            while true {
                let before = report
                var taken: [(name: String, events: Int)] = []
                for name in try directory.next(limit: Self.namesPerLook) {
                    do { if let new = try take(name, &report, store) { taken.append((name, new)) } } catch {
                        if (error as? StoreError)?.isOfClosedStore == true { throw error }
                        failure = failure ?? error
                    }
                }
                if report.rejected > before.rejected { try directory.limitRejected() }
                // Events that leave the inbox are in the lens, for whoever reads one after the other.
                if !taken.isEmpty { store.lens?.write(store) }
                for (name, events) in taken {
                    do {
                        try directory.remove(name)
                        report.files += 1
                        report.events += events
                    } catch { failure = failure ?? error }
                }
                // Files that have to wait stay.
                if report == before { return (report, failure) }
            }
        }
    }

    /// Records the events of a file.
    ///
    /// - Returns: How many were new; nil if the file is gone, or was rejected.
    private func take(_ name: String, _ report: inout InboxReport, _ store: MessageStore) throws -> Int? {
        do {
            guard let bytes = try directory.read(name) else { return nil }
            let content = try InboxFile.opened(bytes, name, keyring.keys?.inbox, path: directory.path)
            var events = try InboxFile.decode(content, for: store.account, types: store.eventTypes)
            for index in events.indices where events[index].id == nil {
                events[index].id = EventID("inbox:\(name):\(index)")
            }
            return try events.count - store.record(events, closing: nil, .durable, isHandedOver: true).duplicates
        } catch let rejection as Rejection {
            try reject(name, because: rejection.reason, &report, store)
        } catch let error as StoreError where isRefusal(error, of: name) {
            // The message may name an id, and the reason lies next to the file.
            let isSealed = keyring.keys != nil
            try reject(name, because: "\(error.code)" + (isSealed ? "" : ": \(error.message)"), &report, store)
        }
        return nil
    }

    private func reject(
        _ name: String, because reason: String, _ report: inout InboxReport, _ store: MessageStore
    ) throws {
        try directory.reject(name, because: reason)
        report.rejected += 1
        store.configuration.logger.warning(
            "a file of the inbox was rejected",
            metadata: ["file": "\(directory.isName(name) ? name : "another name")", "reason": "\(reason)"])
    }

    /// Whether the events of a file will not be recorded at another time either; events that they need may still wait.
    private func isRefusal(_ error: StoreError, of name: String) -> Bool {
        switch error.code {
        case .invalidArgument, .invalidTime, .tokenReused: true
        case .notFound, .packageMissing: directory.isOld(name)
        default: false
        }
    }

    /// Removes the files that were rejected, which may hold words that are to be erased; a failure is logged.
    func removeRejected(_ store: MessageStore) {
        do { try StoreError.translating { try directory.removeRejected() } } catch {
            store.configuration.logger.warning(
                "rejected files of the inbox stay", metadata: ["path": "\(directory.path)", "error": "\(error)"])
        }
    }

    func statistics() throws -> InboxStatistics {
        let waiting = try directory.waiting()
        return InboxStatistics(
            waitingFiles: waiting.files, waitingBytes: waiting.bytes, rejectedFiles: try directory.rejected())
    }

    func finish() { watch.finish() }
}

/// The files that one look into the inbox recorded and rejected.
public struct InboxReport: Sendable, Hashable {
    /// Files whose events are recorded now, including files that were recorded before.
    public internal(set) var files = 0
    /// New events.
    public internal(set) var events = 0
    /// Files that were put into the directory `bad`, with the reason next to each.
    public internal(set) var rejected = 0
}

/// The files of a store's inbox.
public struct InboxStatistics: Sendable, Hashable {
    /// Files that wait to be recorded.
    public let waitingFiles: Int
    /// Their bytes.
    public let waitingBytes: Int
    /// Files that could not be recorded and are kept in the directory `bad`.
    public let rejectedFiles: Int
}

extension MessageStore {
    /// Records the events that other processes have handed over through the inbox, and returns when all waiting files
    /// are recorded.
    ///
    /// The store does so by itself when it is opened, when a file comes, and every `configuration.processes.pollingInterval`; call
    /// this to be certain at a moment, for example before a badge is shown. The events of a file are recorded in one
    /// commit, durably, after the host's filter has judged them; files are taken in the order of their names, which is
    /// that in which they were handed over as far as the processes' clocks agree. A file that is not whole, is for another
    /// account, or whose events the store refuses, goes to the directory `bad` with its reason; a warning is logged, and
    /// the others are recorded all the same.
    ///
    /// - Returns: The report of this look; files that another thread recorded meanwhile are not counted.
    /// - Throws: `StoreError`: `invalidArgument` if the configuration names no inbox; `readOnly`, `closed`, `diskFull`,
    ///   `permissionDenied` and others: of the first file that has to wait, after the others were recorded.
    @discardableResult
    public func drainInbox() throws -> InboxReport {
        _ = try openedForWriting()
        guard let inbox else { throw StoreError(.invalidArgument, "the configuration names no inbox", path: path) }
        return try StoreError.translating {
            let (report, failure) = try inbox.drain(self)
            if let failure { throw failure }
            return report
        }
    }

    /// Records the events that other processes have handed over; the `async` form of `drainInbox()`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    @discardableResult
    public func drainInbox() async throws -> InboxReport {
        try await run(on: readQueue) { try self.drainInbox() }
    }
}
