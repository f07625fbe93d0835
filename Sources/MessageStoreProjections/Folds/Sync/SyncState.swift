@_spi(Storage) public import MessageStoreLog

/// The row of `syncState`: how far the current or last offline sync has come.
struct SyncRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["isSyncing", "hasMore"]
        static let isSyncing = Flags(rawValue: 1)
        /// The last package said that the server has more.
        static let hasMore = Flags(rawValue: 2)
    }

    var flags: Flags = []
    var packages: UInt32 = 0
    var messages: UInt64 = 0
    var startedAt: UInt64 = 0
    var completedAt: UInt64 = 0
    /// Offline syncs completed so far.
    var completions: UInt64 = 0
    /// The last `SessionStateChanged` event, and the last that reported a new session; 0 if there is none.
    var sessionPosition: UInt64 = 0
    var connectedAt: UInt64 = 0
    /// The highest number of a package of the current sync, and how often one was more than one above it.
    var highestIndex: UInt32 = 0
    var jumps: UInt32 = 0
    /// The last event that ended a session; 0 if there is none.
    var endedAt: UInt64 = 0

    var isSyncing: Bool { flags[.isSyncing] }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("flags", &flags)
        parts.part("packages", &packages)
        parts.part("messages", &messages)
        parts.part("startedAt", &startedAt)
        parts.part("completedAt", &completedAt)
        parts.part("completions", &completions)
        parts.part("sessionPosition", &sessionPosition)
        parts.part("connectedAt", &connectedAt)
        parts.part("highestIndex", &highestIndex)
        parts.part("jumps", &jumps)
        parts.part("endedAt", &endedAt)
    }

    /// Takes the number of a package; one that is lower than another came again, or late.
    mutating func number(_ index: UInt32) throws {
        let isFirst = !isSyncing || packages == 0
        if !isFirst, index > highestIndex, index - highestIndex > 1 { jumps = try Self.sum(jumps, 1) }
        highestIndex = isFirst ? index : max(highestIndex, index)
    }

    /// A counter of the row with more added to it.
    static func sum<Count: FixedWidthInteger>(_ count: Count, _ more: Count) throws -> Count {
        let (sum, isOutside) = count.addingReportingOverflow(more)
        guard !isOutside else { throw StoreError.impossibleCount(in: SyncState.state, at: .all) }
        return sum
    }

    /// A counter of the row, for people.
    static func shown(_ count: UInt64) throws -> Int {
        guard let shown = Int(exactly: count) else { throw StoreError.impossibleCount(in: SyncState.state, at: .all) }
        return shown
    }
}

/// The key of the only row of `syncState`.
enum AllSyncsKey: UInt8, RowValue, ViewKey {
    case all = 0

    init() { self = .all }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("key", &self)
    }
}

/// The key of a row of `syncCursors`: the name that the transport gave its cursor.
struct CursorName: ViewKey {
    var name: [UInt8] = []

    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { { _ in 0 } }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.rest("name", &name, .id)
    }
}

/// The projection of offline sync: our own package counters, and the transport's cursors (d24).
struct SyncState: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .syncState, version: 4, events: handlers.types, traits: .ofAccount, tables: state, cursors)
    static var state: Table<AllSyncsKey, SyncRow> { Table("syncState", 21) }
    static var cursors: Table<CursorName, HostValue> { Table("syncCursors", 22, .sealed) }

    static let handlers = EventHandlers<Self>()
        .on(OfflineSyncStarted.self) { _, event, rows, _ in
            let position = event.record.position.rawValue
            try rows.updateSync { row in
                row.flags = [.isSyncing, .hasMore]
                (row.packages, row.messages, row.jumps) = (0, 0, 0)
                row.startedAt = position
            }
        }
        .on(OfflinePackageReceived.self) { _, event, rows, _ in
            let (position, index) = (event.record.position.rawValue, event[OfflinePackageReceived.index])
            let (hasMore, count) = (event[OfflinePackageReceived.hasMore], event[OfflinePackageReceived.messageCount])
            try rows.updateSync { row throws in
                try row.number(index)
                if !row.isSyncing { row.startedAt = position }
                row.flags[.isSyncing] = true
                row.flags[.hasMore] = hasMore
                row.packages = try SyncRow.sum(row.packages, 1)
                row.messages = try SyncRow.sum(row.messages, UInt64(count))
            }
        }
        .on(OfflineSyncCompleted.self) { _, event, rows, _ in
            let position = event.record.position.rawValue
            try rows.updateSync { row throws in
                row.flags = []
                row.completedAt = position
                row.completions = try SyncRow.sum(row.completions, 1)
            }
        }
        .on(SessionStateChanged.self) { _, event, rows, _ in
            let (position, state) = (event.record.position.rawValue, event[SessionStateChanged.state])
            try rows.updateSync { row in
                // The host's last record stays its answer.
                if state != .interrupted { row.sessionPosition = position }
                switch state {
                case .connected: row.connectedAt = position
                case .connecting: break
                case .interrupted where row.connectedAt == 0: break
                default: row.endedAt = position
                }
            }
        }
        .on(SyncCursorAdvanced.self) { _, event, rows, _ in
            guard let name = event.record.bytes(of: SyncCursorAdvanced.name.field),
                let value = event.record.bytes(of: SyncCursorAdvanced.value.field)
            else { return }
            rows.put(cursors, CursorName(name: name.copied), HostValue(value: value.copied))
        }
}

extension FoldRows {
    fileprivate mutating func updateSync(_ body: (inout SyncRow) throws -> Void) throws {
        var row = try snapshot.syncRow()
        try body(&row)
        put(SyncState.state, .all, row)
    }
}

extension ViewSnapshot {
    borrowing func syncRow() throws -> SyncRow {
        try row(SyncState.state, .all) ?? SyncRow()
    }

    /// Whether the last recorded change of the connection left it open.
    package borrowing func isConnected() throws -> Bool {
        let row = try syncRow()
        return row.connectedAt > row.endedAt
    }

    /// The position at which the sync that is going on began; nil if none is.
    package borrowing func startOfSync() throws -> Position? {
        let row = try syncRow()
        return row.isSyncing ? Position(row.startedAt) : nil
    }
}

/// How far the current or last offline sync has come.
public struct SyncProgress: Sendable, Hashable {
    /// Whether a sync is going on; stays true after the process ended during a sync, until the next one.
    public let isSyncing: Bool
    /// Whether the last package said that the server has more.
    public let hasMore: Bool
    /// Packages recorded in this sync.
    public let packages: Int
    /// Messages in them, also ones that were not kept.
    public let messages: Int
    /// How often, in this sync, the number of a package was more than one above the highest before it. See
    /// `MessageStore.Configuration.Sync.packageNumbers`.
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

/// This account's session with its server, as the host recorded it.
public struct Session: Sendable, Hashable {
    /// The state.
    public let state: SessionState
    /// The transport's code; 0 for none.
    public let code: Int32
    /// The transport's description, if any.
    public let text: String?

    /// Creates a session, for previews and tests.
    public init(_ state: SessionState, code: Int32 = 0, text: String? = nil) {
        (self.state, self.code, self.text) = (state, code, text)
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

    /// This account's session as the host last recorded it; nil if it never did.
    ///
    /// - Throws: `StoreError`.
    public borrowing func session() throws -> Session? {
        let position = try snapshot.syncRow().sessionPosition
        guard position != 0 else { return nil }
        let record = try snapshot.record(at: Position(position), namedBy: SyncState.state.viewTable)
        guard
            let state = try RecordDecoder(symbols: snapshot.symbols).event(from: record).payload as? SessionStateChanged
        else {
            throw StoreError.danglingRow(in: SyncState.state.viewTable, position: record.position)
        }
        return Session(state.state, code: state.code, text: state.text)
    }

    /// The cursor that a transport last recorded under `name`, or nil.
    ///
    /// - Throws: `StoreError`.
    public borrowing func syncCursor(_ name: String) throws -> [UInt8]? {
        try snapshot.row(SyncState.cursors, CursorName(name: Array(name.utf8)))?.value
    }
}

extension ProjectionID {
    /// Offline sync: counters and cursors.
    public static let syncState: ProjectionID = "SyncState"
}
