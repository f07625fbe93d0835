internal import Dispatch

extension MessageStore {
    /// Moves the rows of another store into this one.
    ///
    /// ```swift
    /// let report = try store.migrate(rows) { print($0) }
    /// if report.isComplete { try FileManager.default.removeItem(at: oldDatabase) }
    /// ```
    ///
    /// Each row becomes events of known types, most of them with the origin `history`. No message that the other store had as read
    /// raises the badge, neither meanwhile nor afterwards. After an error, a kill or a throw the same call with the same rows
    /// continues; with rows that are all there it records nothing. A message that the store has already stays as it is.
    /// Memory grows with the number of conversations, and a bit for each event. `Docs/MovingIn.md` says how each field is recorded.
    ///
    /// - Parameters:
    ///   - skippingInvalid: Whether rows that break a rule are left out and listed in the report; they throw otherwise.
    ///   - packageSize: How many events, about, are recorded in one commit.
    ///   - progress: Called with the number of rows after each commit; throwing ends the work.
    ///   - nextRow: Called for each row, until it returns nil. Conversations should come before their messages.
    /// - Returns: How many events were recorded, and how the store compares with the rows.
    /// - Throws: `StoreError`: `invalidArgument` or `invalidTime` with the index and the conversation of a row that breaks
    ///   a rule, and never its text; what `record` throws; or what `nextRow` and `progress` throw.
    public func migrate(
        skippingInvalid: Bool = false, packageSize: Int = 500, progress: (_ rows: Int) throws -> Void = { _ in },
        nextRow: () throws -> OldRow?
    ) throws -> MigrationReport {
        var migrator = Migrator(self, skipsInvalid: skippingInvalid, packageSize: packageSize)
        while let row = try nextRow() {
            if try migrator.add(row) { try progress(migrator.report.rows) }
        }
        let report = try migrator.finish()
        try progress(report.rows)
        return report
    }

    /// Moves the rows of another store into this one, as where they are asked for one by one.
    public func migrate(
        _ rows: some Sequence<OldRow>, skippingInvalid: Bool = false, packageSize: Int = 500,
        progress: (_ rows: Int) throws -> Void = { _ in }
    ) throws -> MigrationReport {
        var rest = rows.makeIterator()
        return try migrate(skippingInvalid: skippingInvalid, packageSize: packageSize, progress: progress) {
            rest.next()
        }
    }

    /// Moves the rows of another store into this one without blocking the caller's executor.
    ///
    /// - Throws: As the synchronous form; `CancellationError` if the task was cancelled before.
    public func migrate(
        _ rows: some Sequence<OldRow> & Sendable, skippingInvalid: Bool = false, packageSize: Int = 500,
        progress: @escaping @Sendable (_ rows: Int) throws -> Void = { _ in }
    ) async throws -> MigrationReport {
        try Task.checkCancellation()
        return try await DispatchQueue.global(qos: .utility).run {
            try self.migrate(rows, skippingInvalid: skippingInvalid, packageSize: packageSize, progress: progress)
        }
    }
}

/// The result of a migration, and how the store compares with the rows.
public struct MigrationReport: Sendable, Hashable {
    /// How many rows there were.
    public internal(set) var rows = 0
    /// How many events were recorded; those of an earlier run are not among them.
    public internal(set) var events = 0
    /// The conversations, in the order in which they came.
    public internal(set) var conversations: [MigratedConversation] = []
    /// How many rows were left out because they break a rule.
    public internal(set) var skippedRows = 0
    /// The reasons for the first hundred of them, with index and conversation.
    public internal(set) var problems: [StoreError] = []

    static let maximumProblems = 100

    /// The conversations in which something differs.
    public var differences: [MigratedConversation] { conversations.filter { !$0.isComplete } }
    /// Whether no row was left out and nothing differs: the other store is no longer needed.
    public var isComplete: Bool { skippedRows == 0 && differences.isEmpty }
}

/// How a conversation in the store compares with the rows.
public struct MigratedConversation: Sendable, Hashable, Encodable {
    /// Its key.
    public let key: ConversationKey
    /// How many messages the rows are, each once and without those deleted.
    public let messages: Int
    /// How many of them the store shows.
    public let shownMessages: Int
    /// How many the other store said that it has, if it did.
    public let reportedMessages: Int?
    /// Whether the newest of the rows, or one that came since, is the store's last message.
    public let isLastMessageShown: Bool
    /// How many messages are unread by the other store's count, else by its rows.
    public let unread: Int
    /// How many the store counts, without messages that are not among the rows.
    public let shownUnread: Int
    /// How many rows have the id of an earlier one and say something else; they are not recorded.
    public let conflicts: Int
    /// Whether the conversation was read further in the new store, so that fewer may be unread.
    public internal(set) var isReadSince = false

    /// Whether nothing differs.
    public var isComplete: Bool {
        messages == shownMessages && messages == reportedMessages ?? messages && isLastMessageShown
            && conflicts == 0 && (unread == shownUnread || isReadSince && shownUnread < unread)
    }
}
