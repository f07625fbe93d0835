@_spi(Storage) public import MessageStoreLog

/// How far the current or last offline sync has come.
public struct SyncProgress: Sendable, Hashable {
    /// Whether a sync is going on. One that the process did not live to see end stays so until the next.
    public let isSyncing: Bool
    /// Whether the last package said that the server has more.
    public let hasMore: Bool
    /// Packages recorded in this sync.
    public let packages: Int
    /// Messages in them, those that were not kept included.
    public let messages: Int
    /// Offline syncs completed over the store's life.
    public let completions: Int

    /// Puts a progress together, for previews and tests.
    public init(
        isSyncing: Bool = false, hasMore: Bool = false, packages: Int = 0, messages: Int = 0, completions: Int = 0
    ) {
        self.isSyncing = isSyncing
        self.hasMore = hasMore
        self.packages = packages
        self.messages = messages
        self.completions = completions
    }
}

extension Views {
    /// How far the current or last offline sync has come; one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func syncProgress() throws -> SyncProgress {
        let row = try sync()
        return SyncProgress(
            isSyncing: row.isSyncing, hasMore: row.flags[.hasMore], packages: Int(row.packages),
            messages: try SyncRow.shown(row.messages), completions: try SyncRow.shown(row.completions))
    }

    /// How this account stands with its server, as the host last recorded it; nil where it never did.
    ///
    /// - Throws: `StoreError`.
    public borrowing func session() throws -> SessionStateChanged? {
        let position = try sync().sessionPosition
        guard position != 0 else { return nil }
        let record = try record(at: Position(position), namedBy: .syncState)
        guard let state = try RecordDecoder(symbols: symbols).event(from: record).payload as? SessionStateChanged else {
            throw StoreError.danglingRow(in: .syncState, position: record.position)
        }
        return state
    }

    /// The place that a transport last noted under `name`, or nil.
    ///
    /// - Throws: `StoreError`.
    public borrowing func syncCursor(_ name: String) throws -> [UInt8]? {
        let key = Array(name.utf8)
        return try row(.syncCursors, key.span.bytes)?.copied
    }

    /// How many events the log holds of each type that is neither built in nor registered by the host.
    ///
    /// - Throws: `StoreError`.
    public borrowing func unknownEventCounts() throws -> [EventType: Int] {
        var counts: [EventType: Int] = [:]
        var cursor = try rows(.unknownEvents)
        while try cursor.next() {
            let row: NumberRow = try cursor.decoded()
            guard let count = Int(exactly: row.number) else {
                throw StoreError.impossibleCount(in: .unknownEvents, at: cursor.key)
            }
            // The rows do not depend on what is registered, so that they are the same for every reader.
            let type = EventType(rawValue: try cursor.keyNumber(at: 0))
            if !symbols.types.isRegistered(type) { counts[type] = count }
        }
        return counts
    }
}
