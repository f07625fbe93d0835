internal import MessageStoreProjections

extension MessageStore {
    /// Receives everything that arrived while this account was offline, as one sync.
    ///
    /// Records that the session is connected and that a sync began, then each package, as
    /// ``ingest(_:isolation:acknowledge:)`` does, and at last that the sync is complete, which proves that no message is
    /// missing. Connect first and run one sync at a time. Messages that arrive live meanwhile are recorded as usual.
    ///
    /// ```swift
    /// let progress = try await store.sync("inbox") { cursor in server.packages(after: cursor) }
    /// ```
    ///
    /// A sync that fails or is cancelled stays incomplete: conversations may have gaps, and the next sync continues
    /// after the last package that was recorded.
    ///
    /// - Parameters:
    ///   - cursor: The name of the cursor that the packages carry in ``OfflinePackage/cursor``.
    ///   - session: The transport's name of the session, if any.
    ///   - isolation: The actor that asks the sequence for packages.
    ///   - packages: Makes the packages after the server's place that was recorded last; nil at the first sync. It may
    ///     record, for example, what a new device has to know before.
    ///   - acknowledge: Called for each package in turn, once it is durable as configured.
    /// - Returns: The numbers of packages and messages of this sync.
    /// - Throws: As ``ingest(_:isolation:acknowledge:)``; `invalidArgument` if a package's cursor has another name; what
    ///   `packages` throws.
    @discardableResult
    public func sync<Packages: AsyncSequence>(
        _ cursor: String, session: String? = nil, isolation: isolated (any Actor)? = #isolation,
        packages: (_ cursor: [UInt8]?) async throws -> Packages,
        acknowledge: @escaping @Sendable (_ package: OfflinePackage, _ result: RecordResult) async throws -> Void = {
            _, _ in
        }
    ) async throws -> SyncProgress where Packages.Element == OfflinePackage {
        try await record([.sessionStateChanged(.connected), Event(OfflineSyncStarted(session: session))])
        let sequence = try await packages(try await read { try $0.syncCursor(cursor) })
        let checked = sequence.map { package in
            guard package.cursor.map({ $0.name == cursor }) ?? true else {
                throw StoreError(
                    .invalidArgument, "package \(package.index) moves another cursor than the one of the sync")
            }
            return package
        }
        try await ingest(checked, isolation: isolation, acknowledge: acknowledge)
        try await record(Event(OfflineSyncCompleted(), origin: .offline))
        return try await read { try $0.syncProgress() }
    }
}
