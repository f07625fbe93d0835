@_spi(Storage) internal import MessageStoreLog

/// A folder of the conversation list: a saved condition with a name.
public struct ConversationFolder: Sendable, Hashable, Identifiable {
    /// The folder's id.
    public let id: String
    /// The name to show.
    public let name: String?
    /// The condition of the conversations that it shows; nil if this version cannot read the condition of a later
    /// version or a damaged record.
    public let condition: ConversationCondition?
    /// The place among folders, the smallest first.
    public let order: Int32

    /// Creates a folder, for previews and tests.
    public init(id: String, name: String? = nil, condition: ConversationCondition?, order: Int32 = 0) {
        self.id = id
        self.name = name
        self.condition = condition
        self.order = order
    }
}

extension ConversationFolderChanged {
    /// Creates the event of a folder that was made or changed.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` for a condition that cannot be saved; see
    ///   ``ConversationCondition/json()``.
    public init(
        _ id: String, name: String? = nil, condition: ConversationCondition, order: Int32 = 0,
        at time: Timestamp? = nil
    ) throws {
        self.init(id, name: name, condition: try condition.json(), order: order, at: time)
    }
}

extension Views {
    /// The folders of the conversation list, by their order, then by the bytes of their ids.
    ///
    /// Costs a point read of the log for each folder.
    ///
    /// - Throws: `StoreError`.
    public borrowing func folders() throws -> [ConversationFolder] {
        var folders: [ConversationFolder] = []
        try snapshot.forEachRow(Settings.times, under: SettingKey(setting: .folder())) { _, row in
            if let folder = try folder(row) { folders.append(folder) }
            return true
        }
        return folders.ordered { first, second in
            if first.order != second.order { return first.order < second.order }
            return first.id.utf8.lexicographicallyPrecedes(second.id.utf8)
        }
    }

    /// A folder; nil if there is none of this id. Costs two point reads.
    ///
    /// - Throws: `StoreError`.
    public borrowing func folder(_ id: String) throws -> ConversationFolder? {
        // A longer id is no folder's, and too long for a key.
        guard id.utf8.count <= EventLimits.identifierBytes else { return nil }
        guard let row = try snapshot.row(Settings.times, SettingKey(setting: .folder(id))) else { return nil }
        return try folder(row)
    }

    /// A page of the conversations in a folder, the latest activity first.
    ///
    /// Costs what ``conversations(matching:after:limit:)`` costs for the folder's condition.
    ///
    /// - Parameters:
    ///   - id: The folder.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of conversations, 1 to 1000.
    /// - Throws: `StoreError`: `notFound` where there is no such folder, `invalidArgument` where this version cannot
    ///   read its condition, and for a limit out of range.
    public borrowing func conversations(
        inFolder id: String, after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Conversation> {
        try conversations(matching: ConversationQuery(condition(ofFolder: id)), after: cursor, limit: limit)
    }

    /// The unread totals of the conversations in a folder; see ``unreadTotals(matching:includesMuted:)``.
    ///
    /// - Throws: `StoreError`: `notFound` where there is no such folder, `invalidArgument` where this version cannot
    ///   read its condition.
    public borrowing func unreadTotals(inFolder id: String, includesMuted: Bool = false) throws -> UnreadTotals {
        try unreadTotals(matching: condition(ofFolder: id), includesMuted: includesMuted)
    }

    private borrowing func condition(ofFolder id: String) throws -> ConversationCondition {
        guard let folder = try folder(id) else { throw StoreError(.notFound, "there is no such folder") }
        guard let condition = folder.condition else {
            throw StoreError(.invalidArgument, "this version cannot read the condition of the folder")
        }
        return condition
    }

    private borrowing func folder(_ row: SettingRow) throws -> ConversationFolder? {
        guard row.value != 0 else { return nil }
        let position = Position(row.value)
        guard let history = snapshot.scope.keepingHistory else { return try folder(at: position) }
        return try history.kept.totals.folder(at: position) { try folder(at: position) }
    }

    private borrowing func folder(at position: Position) throws -> ConversationFolder {
        let record = try snapshot.record(at: position, namedBy: Settings.times.viewTable)
        let event = try RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.scope.isLentToProjection)
            .event(from: record)
        guard let reported = event.payload as? ConversationFolderChanged else {
            throw StoreError.danglingRow(in: Settings.times.viewTable, position: record.position)
        }
        return ConversationFolder(
            id: reported.folder, name: reported.name,
            condition: reported.condition.flatMap { try? ConversationCondition(json: $0) },
            order: reported.order)
    }
}
