/// Short ways to make the common events of the account as a whole, which name no conversation.
extension Event {
    /// A provider's or server's profiles of users.
    public static func profilesFetched(_ profiles: [Profile], origin: Origin = .local) -> Event {
        Event(ProfilesFetched(profiles), origin: origin)
    }

    /// The connection to the server changed. `MessageStore.sync` records the beginning of one.
    ///
    /// - Parameters:
    ///   - state: The state from now on.
    ///   - code: The transport's code; 0 for none.
    public static func sessionStateChanged(_ state: SessionState, code: Int32 = 0) -> Event {
        Event(SessionStateChanged(state, code: code))
    }

    /// The transport's place in the server's stream moved. Packages carry it in `OfflinePackage.cursor`.
    ///
    /// - Parameters:
    ///   - name: The name of the stream.
    ///   - value: The place, in the transport's own form.
    public static func syncCursorAdvanced(_ name: String, to value: [UInt8]) -> Event {
        Event(SyncCursorAdvanced(name: name, value: value))
    }

    /// The server answered a change that was made on this device, or the change will not be sent.
    ///
    /// ```swift
    /// for change in try await store.read({ try $0.pendingChanges() }) {
    ///     try await server.apply(change.event)
    ///     try await store.record(.pendingChangeUpdated(change.id, .confirmed))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - change: The position of the event that waits.
    ///   - status: The outcome.
    ///   - code: The transport's error code if the status is `failed`.
    public static func pendingChangeUpdated(
        _ change: Position, _ status: PendingChangeStatus, code: Int32 = 0
    ) -> Event {
        Event(PendingChangeUpdated(change, status, code: code))
    }
}
