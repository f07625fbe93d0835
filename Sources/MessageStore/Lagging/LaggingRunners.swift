internal import MessageStoreLMDB

/// The lagging projections of an open store.
final class LaggingRunners: Sendable {
    private let runners: [ProjectionID: LaggingRunner]
    private let directory: String

    init(
        _ configuration: MessageStore.Configuration, in directory: String, _ storeID: [UInt8], _ keyring: StoreKeyring,
        isReadOnly: Bool
    ) throws {
        self.directory = directory
        let creating = Locked(())
        var runners: [ProjectionID: LaggingRunner] = [:]
        for projection in configuration.laggingProjections {
            let id = type(of: projection).id
            guard id.rawValue.isReverseDNS, id.rawValue.utf8.count <= 100 else {
                throw StoreError(.invalidArgument, "the name of a lagging projection is in reverse-DNS notation: \(id)")
            }
            guard runners[id] == nil else {
                throw StoreError(.invalidArgument, "two lagging projections have the name \(id)")
            }
            runners[id] = LaggingRunner(
                projection, in: directory, storeID: storeID,
                pageCheck: configuration.durability.pageCheck == .always ? .always : .afterUncleanClose,
                creating: creating, keyring)
        }
        self.runners = runners
        // They may know events that the log has lost.
        if configuration.durability.allowsRollback, !isReadOnly { try drop() }
    }

    /// All of them, by name.
    var all: [LaggingRunner] { runners.values.ordered { $0.id.rawValue < $1.id.rawValue } }

    /// - Throws: `StoreError` with code `invalidArgument` if no such projection is registered.
    subscript(_ id: ProjectionID) -> LaggingRunner {
        get throws {
            guard let runner = runners[id] else {
                throw StoreError(.invalidArgument, "the lagging projection \(id) is not registered")
            }
            return runner
        }
    }

    /// Notices that something was recorded or removed.
    func wake(_ store: MessageStore) {
        guard !runners.isEmpty, !store.isReadOnly else { return }
        for runner in runners.values { runner.wake(store) }
    }

    /// Runs `body`, which removes the contents of events from the log. Rows of projections that are not registered
    /// could keep them, and are removed.
    ///
    /// - Parameter isPartial: Whether more events lose contents than these; then all rows are made again.
    func erasing<Result>(
        _ positions: [Position], isPartial: Bool = false, _ body: () throws -> Result
    ) throws -> Result {
        try removeUnknown()
        return try erasing(positions, isPartial, from: Array(runners.values)[...], body)
    }

    private func erasing<Result>(
        _ positions: [Position], _ isPartial: Bool, from rest: ArraySlice<LaggingRunner>, _ body: () throws -> Result
    ) throws -> Result {
        guard let runner = rest.first else { return try body() }
        return try runner.erasing(positions, isPartial: isPartial) {
            try erasing(positions, isPartial, from: rest.dropFirst(), body)
        }
    }

    private func removeUnknown() throws {
        guard try FileSystem.status(of: directory)?.kind == .directory else { return }
        // The copies of files that are known are their runners'.
        let known = Set(runners.keys.flatMap { [$0.rawValue, $0.rawValue + LaggingRunner.copyName] })
        for name in try FileSystem.names(in: directory) where !known.contains(name) {
            try OwnFiles.remove(directory + "/" + name)
        }
        // A loss of power must not leave them, nor files that an earlier call removed.
        try FileSystem.synchronize(directory)
    }

    /// Removes from the files the content that had to go, and the files of projections that are not registered, which
    /// may owe it.
    func compact(_ store: MessageStore) throws {
        try removeUnknown()
        for runner in runners.values { try runner.compact(store) }
    }

    /// Whether files may have bytes that had to go.
    func isOwing() throws -> Bool { try runners.values.contains { try $0.isOwing() } }

    /// Has all rows made again.
    func drop() throws {
        for runner in runners.values { try runner.drop() }
    }

    /// Follows the log again, after ``finish()``.
    func resume() {
        for runner in runners.values { runner.resume() }
    }

    func finish() {
        for runner in runners.values { runner.finish() }
    }
}
