internal import MessageStoreLMDB

/// Sizes and positions of a store, for diagnostics.
public struct StoreStatistics: Sendable, Hashable {
    /// Entries and bytes of one table.
    public struct Table: Sendable, Hashable {
        /// `log`, `views`, or the name of a lagging projection.
        public let environment: String
        /// The table's name.
        public let name: String
        /// Its entries in LMDB; of `timeline`, chunks of many rows each.
        public let entries: Int
        /// The bytes of its pages.
        public let bytes: Int
    }

    /// One of the environments.
    public struct EnvironmentSizes: Sendable, Hashable {
        /// `log`, `views`, or the name of a lagging projection.
        public let name: String
        /// Bytes of the pages in use, free ones included.
        public let usedBytes: Int
        /// Pages that the next commits may reuse.
        public let freePages: Int
        /// Their bytes.
        public let freeBytes: Int
        /// Bytes of address space reserved.
        public let mapBytes: Int
        /// Readers of all processes now.
        public let liveReaders: Int
        /// The number of commits since the oldest of them began; a large number keeps free pages from being reused.
        public let oldestReaderLag: Int
    }

    /// Events in the log.
    public let events: Int
    /// Events that were cut off, because others erased what they are about and no answer needs them.
    public let cutEvents: Int
    /// The last event for which events were cut off: from here on the log can be replayed. 0 where it is whole.
    public let replayStart: Position
    /// Log and views, and those of the registered lagging projections.
    public let environments: [EnvironmentSizes]
    /// Every table.
    public let tables: [Table]
    /// Bytes of the files of the log's journal, in which events wait to be committed; 0 where there are none.
    public let journalBytes: Int
    /// Bytes that were redacted and are still in a file, until the store is compacted and the last reader of the older
    /// files has ended.
    public let owedBytes: Int
    /// When the oldest of them were redacted, or an event was recorded whose erasure failed; nil if there are none.
    public let owedSince: Timestamp?
    /// The position of the views as they are served.
    public let viewPosition: Position
    /// The position up to which they are on disk.
    public let checkpointPosition: Position
    /// Buffered rows in memory.
    public let bufferedRows: Int
    /// The memory of the buffered rows in bytes.
    public let bufferedBytes: Int
    /// The files of the inbox; nil if the configuration names none.
    public let inbox: InboxStatistics?
}

extension MessageStore {
    /// The position from which on the log can be replayed; the origin where no record was cut off.
    package func replayStart() throws -> Position { try opened().log.replayStart }

    /// Sizes and positions of the store. Costs a pass over LMDB's free lists.
    ///
    /// - Throws: `StoreError`.
    public func statistics() throws -> StoreStatistics {
        let resources = try opened()
        return try StoreError.translating {
            // Updates the views of a store opened for reading.
            _ = try resources.views.snapshot().position
            let buffer = resources.views.bufferStatus
            var environments = [try Self.sizes("log", resources.log.environment)]
            var tables = try resources.log.tableStatistics().map { Self.table("log", $0.name, $0.statistics) }
            if let views = resources.views.environment {
                environments.append(try Self.sizes("views", views.environment))
                tables += try views.tableStatistics().map { Self.table("views", $0.name, $0.statistics) }
            }
            for runner in lagging.all {
                guard let files = try runner.files(isReadOnly: isReadOnly) else { continue }
                environments.append(try Self.sizes(runner.id.rawValue, files.environment))
                tables += try files.tableStatistics().map { Self.table(runner.id.rawValue, $0.name, $0.statistics) }
            }
            let owed = try resources.log.owed()
            return StoreStatistics(
                events: Int(clamping: try lastPosition().rawValue - resources.log.cutCount),
                cutEvents: Int(clamping: resources.log.cutCount), replayStart: resources.log.replayStart,
                environments: environments,
                tables: tables,
                journalBytes: try resources.log.journalBytes(),
                owedBytes: owed.reduce(0) { $0 + Int(clamping: $1.byteCount) },
                owedSince: owed.filter { $0.state != .hidden }.map(\.since).min(),
                viewPosition: buffer.position, checkpointPosition: buffer.checkpoint, bufferedRows: buffer.rows,
                bufferedBytes: buffer.bytes, inbox: try inbox?.statistics())
        }
    }

    /// Sizes and positions; the `async` form of `statistics()`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func statistics() async throws -> StoreStatistics {
        try await run(on: readQueue) { try self.statistics() }
    }

    private static func sizes(_ name: String, _ environment: Environment) throws -> StoreStatistics.EnvironmentSizes {
        let statistics = try environment.statistics()
        return .init(
            name: name, usedBytes: statistics.usedPages * statistics.pageSize, freePages: statistics.freePages,
            freeBytes: statistics.freePages * statistics.pageSize, mapBytes: statistics.mapSize,
            liveReaders: statistics.liveReaders,
            oldestReaderLag: statistics.oldestReaderLag)
    }

    private static func table(_ environment: String, _ name: String, _ statistics: TableStatistics)
        -> StoreStatistics.Table
    {
        .init(environment: environment, name: name, entries: statistics.entries, bytes: statistics.bytes)
    }
}
