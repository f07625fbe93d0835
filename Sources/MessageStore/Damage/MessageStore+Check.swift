internal import Dispatch

extension MessageStore {
    /// Checks everything that a store's files hold, also of a store that cannot be opened. Changes nothing.
    ///
    /// The identity file is held against the log; the pages of both data files are walked; every record is read in
    /// order, decoded, and found by its position; strings and their numbers are compared both ways; and if the log is
    /// sound, the views are compared with a replay of it. Costs several passes over the log.
    ///
    /// The store may be open for writing in another process, and not in this one: `verify()` checks an open store.
    ///
    /// - Parameters:
    ///   - path: The store's directory.
    ///   - configuration: The host's types of events and projections; others are not decoded or compared.
    ///   - limit: The maximum number of findings to report; all are counted.
    ///   - progress: Called periodically with the position reached and the last position, once for the records and once
    ///     for the replay; throwing ends the check.
    /// - Throws: `StoreError`: `storeMissing`, `notAStore`, `alreadyOpen`, `permissionDenied` and others, but none for
    ///   damage, which is reported; or what `progress` throws.
    public static func check(
        _ path: String, configuration: Configuration = Configuration(), limit: Int = 100,
        progress: ReplayProgress = { _, _ in }
    ) throws -> CheckReport {
        try withoutActuallyEscaping(progress) { progress in
            try StoreError.translating {
                let directory = try StoreDirectory(path: path)
                guard try directory.isStore() else {
                    throw StoreError(.storeMissing, "there is no store", path: directory.path)
                }
                var check = StoreCheck(
                    directory: directory, configuration: configuration, limit: limit, progress: progress)
                try check.run()
                return check.report
            }
        }
    }

    /// Checks everything that a store's files hold, without blocking the caller's executor. Ends early when the task is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - path: The store's directory.
    ///   - configuration: The host's types of events and projections; others are not decoded or compared.
    ///   - limit: The maximum number of findings to report; all are counted.
    ///   - progress: Called periodically with the position reached and the last position.
    /// - Throws: As the synchronous form, or `CancellationError`.
    public static func check(
        _ path: String, configuration: Configuration = Configuration(), limit: Int = 100,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> CheckReport {
        try await runCancellable(on: .global(qos: .userInitiated), progress: progress) { progress in
            try check(path, configuration: configuration, limit: limit, progress: progress)
        }
    }
}
