extension MessageStore {
    /// Records one event; see `record(_:acknowledgement:)`.
    @discardableResult
    public func record(_ event: Event, acknowledgement: Acknowledgement = .durable) throws -> RecordResult {
        try record([event], acknowledgement: acknowledgement)
    }

    /// Records events in one commit: all of them or none.
    ///
    /// When this returns, every view shows them, and with the acknowledgement `durable` they are durable. Events
    /// recorded before are recognised by server id, client token or event id and change nothing. Received messages that
    /// their policy does not keep are only delivered (see ``deliveries(bufferingNewest:)``). Costs one flush, whatever
    /// the number of events.
    ///
    /// - Parameters:
    ///   - events: In the order in which they are recorded.
    ///   - acknowledgement: The guarantee when this returns.
    /// - Throws: `StoreError`, and nothing is recorded: `invalidArgument` names the first rule that an event breaks,
    ///   `invalidTime` the first time that looks like seconds;
    ///   `tokenReused`, `packageMissing`, `diskFull`, `readOnly`, `closed`, `nestedAccess` and others.
    @discardableResult
    public func record(_ events: [Event], acknowledgement: Acknowledgement = .durable) throws -> RecordResult {
        try record(events, closing: nil, acknowledgement)
    }

    /// Records one event; the `async` form of `record(_:acknowledgement:)`.
    @discardableResult
    public func record(_ event: Event, acknowledgement: Acknowledgement = .durable) async throws -> RecordResult {
        try await record([event], closing: nil, acknowledgement)
    }

    /// Records events in one commit; the `async` form of `record(_:acknowledgement:)`.
    @discardableResult
    public func record(_ events: [Event], acknowledgement: Acknowledgement = .durable) async throws -> RecordResult {
        try await record(events, closing: nil, acknowledgement)
    }

    /// Records events, followed by a closing one, after the host's filter has judged them.
    @discardableResult
    func record(
        _ events: [Event], closing: Event?, _ acknowledgement: Acknowledgement, isHandedOver: Bool = false
    ) throws -> RecordResult {
        var (batch, judged) = try incoming(events)
        batch.isHandedOver = isHandedOver
        if !judged.isEmpty { batch.verdicts = filtering.waitForVerdicts(on: judged, of: account).verdicts }
        return try append(batch, acknowledgement) { closing }
    }

    /// Records events, followed by a closing one; the `async` form of the other.
    func record(
        _ events: [Event], closing: Event?, _ acknowledgement: Acknowledgement
    ) async throws -> RecordResult {
        try await record(events, acknowledgement) { closing }
    }

    /// Records events, followed by one that is made when nothing can be recorded before them any more.
    func record(
        _ events: [Event], _ acknowledgement: Acknowledgement, closing: @escaping @Sendable () throws -> Event?
    ) async throws -> RecordResult {
        try Task.checkCancellation()
        var (batch, judged) = try incoming(events)
        if !judged.isEmpty { batch.verdicts = await filtering.verdicts(on: judged, of: account).verdicts }
        let filtered = batch
        return try await run(on: writeQueue) { try self.append(filtered, acknowledgement, closing: closing) }
    }

    private func incoming(_ events: [Event]) throws -> (batch: IncomingBatch, judged: [JudgedMessage]) {
        _ = try openedForWriting()
        let batch = try IncomingBatch(events, contentTypes)
        guard filtering.concerns(batch.events, of: account) else { return (batch, []) }
        guard !MessageFiltering.isAsking else {
            throw StoreError(
                .nestedAccess, "the message filter records messages that it would have to judge", path: path)
        }
        return (batch, try judged(batch.events))
    }
}
