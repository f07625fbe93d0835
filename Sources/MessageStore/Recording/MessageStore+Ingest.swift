extension MessageStore {
    /// Records a package of an offline sync: its events and that it was received, in one commit.
    ///
    /// Where a commit costs milliseconds, `.visible` lets several packages share one.
    ///
    /// - Parameters:
    ///   - package: What the server delivered together.
    ///   - acknowledgement: What has become of it when this returns.
    /// - Throws: As `record(_:acknowledgement:)`.
    @discardableResult
    public func ingest(
        _ package: OfflinePackage, acknowledgement: Acknowledgement = .durable
    ) throws -> RecordResult {
        try record(package.events, closing: package.closingEvent, acknowledgement).withoutLast
    }

    /// Records a package of an offline sync; the `async` form of `ingest(_:acknowledgement:)`.
    @discardableResult
    public func ingest(
        _ package: OfflinePackage, acknowledgement: Acknowledgement = .durable
    ) async throws -> RecordResult {
        try await record(package.events, closing: package.closingEvent, acknowledgement).withoutLast
    }
}
