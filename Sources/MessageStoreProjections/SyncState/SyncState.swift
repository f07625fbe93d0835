@_spi(Storage) internal import MessageStoreLog

/// The row of `syncState`: how far the current or last offline sync has come.
struct SyncRow: ViewRow, Equatable {
    var isSyncing = false
    /// Whether the last package said that the server has more.
    var hasMore = false
    var packages: UInt32 = 0
    var messages: UInt64 = 0
    var startedAt: UInt64 = 0
    var completedAt: UInt64 = 0
    /// Offline syncs completed so far.
    var completions: UInt64 = 0
    /// The last `SessionStateChanged` event, and the last that told of a new session; 0 where there is none.
    var sessionPosition: UInt64 = 0
    var connectedAt: UInt64 = 0

    static let key: [UInt8] = [0]

    init() {}

    init?(_ row: RawSpan) {
        guard let flags = row.load(at: 0, as: UInt8.self), let packages = row.load(at: 1, as: UInt32.self),
            let messages = row.load(at: 5, as: UInt64.self), let startedAt = row.load(at: 13, as: UInt64.self),
            let completedAt = row.load(at: 21, as: UInt64.self), let completions = row.load(at: 29, as: UInt64.self),
            let sessionPosition = row.load(at: 37, as: UInt64.self), let connectedAt = row.load(at: 45, as: UInt64.self)
        else { return nil }
        isSyncing = flags & 1 != 0
        hasMore = flags & 2 != 0
        (self.packages, self.messages) = (packages, messages)
        (self.startedAt, self.completedAt, self.completions) = (startedAt, completedAt, completions)
        (self.sessionPosition, self.connectedAt) = (sessionPosition, connectedAt)
    }

    /// A counter of the row with more added to it.
    static func sum<Count: FixedWidthInteger>(_ count: Count, _ more: Count) throws -> Count {
        let (sum, isOutside) = count.addingReportingOverflow(more)
        guard !isOutside else { throw StoreError.impossibleCount(in: .syncState, at: key.span.bytes) }
        return sum
    }

    /// A counter of the row, for people.
    static func shown(_ count: UInt64) throws -> Int {
        guard let shown = Int(exactly: count) else {
            throw StoreError.impossibleCount(in: .syncState, at: key.span.bytes)
        }
        return shown
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 56)
        writer.append(UInt8((isSyncing ? 1 : 0) | (hasMore ? 2 : 0)))
        writer.append(packages)
        writer.append(messages)
        writer.append(startedAt)
        writer.append(completedAt)
        writer.append(completions)
        writer.append(sessionPosition)
        writer.append(connectedAt)
        return writer.bytes.copied
    }
}

/// The projection of offline sync: our own package counters, and the transport's cursors (d24).
struct SyncState {
    mutating func apply(_ event: RecordView, _ views: inout Views) throws {
        var row = try views.sync()
        switch event.type {
        case .offlineSyncStarted:
            row.isSyncing = true
            row.hasMore = true
            row.packages = 0
            row.messages = 0
            row.startedAt = event.position.rawValue
        case .offlinePackageReceived:
            if !row.isSyncing { row.startedAt = event.position.rawValue }
            row.isSyncing = true
            row.hasMore = event[OfflinePackageReceived.Fields.hasMore]
            row.packages = try SyncRow.sum(row.packages, 1)
            row.messages = try SyncRow.sum(row.messages, UInt64(event[OfflinePackageReceived.Fields.messageCount]))
        case .offlineSyncCompleted:
            row.isSyncing = false
            row.hasMore = false
            row.completedAt = event.position.rawValue
            row.completions = try SyncRow.sum(row.completions, 1)
        case .sessionStateChanged:
            row.sessionPosition = event.position.rawValue
            if event[SessionStateChanged.Fields.state] == .connected { row.connectedAt = event.position.rawValue }
        case .syncCursorAdvanced:
            if let name = event.bytes(of: SyncCursorAdvanced.Fields.name),
                let value = event.bytes(of: SyncCursorAdvanced.Fields.value)
            {
                views.put(.syncCursors, name, value)
            }
            return
        default: return
        }
        views.put(.syncState, SyncRow.key.span.bytes, row.bytes.span.bytes)
    }
}

extension Views {
    borrowing func sync() throws -> SyncRow {
        try decoded(.syncState, SyncRow.key.span.bytes) ?? SyncRow()
    }
}
