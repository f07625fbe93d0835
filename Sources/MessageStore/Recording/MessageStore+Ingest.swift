extension MessageStore {
    /// Records the events of a package of an offline sync, and that it was received, in one commit.
    ///
    /// For many packages one after the other, `ingest(_:isolation:acknowledge:)` is faster.
    ///
    /// - Parameters:
    ///   - package: The package.
    ///   - acknowledgement: The guarantee when this returns.
    /// - Throws: As `record(_:acknowledgement:)`.
    @discardableResult
    public func ingest(
        _ package: OfflinePackage, acknowledgement: Acknowledgement = .durable
    ) throws -> RecordResult {
        try record(package.contents, closing: package.closingEvent, acknowledgement).first(package.events.count)
    }

    /// Records a package of an offline sync; the `async` form of `ingest(_:acknowledgement:)`.
    @discardableResult
    public func ingest(
        _ package: OfflinePackage, acknowledgement: Acknowledgement = .durable
    ) async throws -> RecordResult {
        try await record(package.contents, closing: package.closingEvent, acknowledgement)
            .first(package.events.count)
    }
}
