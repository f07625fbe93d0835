@_spi(Storage) public import MessageStoreLog

/// How far the current or last offline sync has come.
public struct SyncProgress: Sendable, Hashable {
    /// Whether a sync is going on; stays true after the process ended during a sync, until the next one.
    public let isSyncing: Bool
    /// Whether the last package said that the server has more.
    public let hasMore: Bool
    /// Packages recorded in this sync.
    public let packages: Int
    /// Messages in them, those that were not kept included.
    public let messages: Int
    /// How often, in this sync, the number of a package was more than one above the highest before it. See
    /// `MessageStore.Configuration.packageNumbers`.
    public let jumps: Int
    /// Offline syncs completed over the store's life.
    public let completions: Int

    /// Creates a progress, for previews and tests.
    public init(
        isSyncing: Bool = false, hasMore: Bool = false, packages: Int = 0, messages: Int = 0, jumps: Int = 0,
        completions: Int = 0
    ) {
        self.isSyncing = isSyncing
        self.hasMore = hasMore
        self.packages = packages
        self.messages = messages
        self.jumps = jumps
        self.completions = completions
    }
}

extension Views {
    /// How far the current or last offline sync has come; one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func syncProgress() throws -> SyncProgress {
        let row = try snapshot.syncRow()
        return SyncProgress(
            isSyncing: row.isSyncing, hasMore: row.flags[.hasMore], packages: Int(row.packages),
            messages: try SyncRow.shown(row.messages), jumps: Int(row.jumps),
            completions: try SyncRow.shown(row.completions))
    }

    /// The state of this account's session as the host last recorded it; nil if it never did.
    ///
    /// - Throws: `StoreError`.
    public borrowing func session() throws -> SessionStateChanged? {
        let position = try snapshot.syncRow().sessionPosition
        guard position != 0 else { return nil }
        let record = try snapshot.record(at: Position(position), namedBy: SyncState.state.place)
        guard
            let state = try RecordDecoder(symbols: snapshot.symbols).event(from: record).payload as? SessionStateChanged
        else {
            throw StoreError.danglingRow(in: SyncState.state.place, position: record.position)
        }
        return state
    }

    /// The cursor that a transport last recorded under `name`, or nil.
    ///
    /// - Throws: `StoreError`.
    public borrowing func syncCursor(_ name: String) throws -> [UInt8]? {
        try snapshot.row(SyncState.cursors, CursorName(name: Array(name.utf8)))?.value
    }
}
