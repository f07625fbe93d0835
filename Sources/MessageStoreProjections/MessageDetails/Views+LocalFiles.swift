@_spi(Storage) public import MessageStoreLog

/// A message's file that this device keeps, by what the host recorded of it.
public struct LocalFile: Sendable, Hashable, Identifiable {
    /// The message; the store need not show or have it. An `AttachmentStateChanged` of it and the index, with a size of
    /// nil, records that the file is gone.
    public let message: MessageReference
    /// Which of the message's files, by the host's number.
    public let index: UInt8
    /// Its conversation.
    public let conversation: ConversationKey
    /// Where the file is; nil if no event recorded that or it was redacted. Delete a file before you redact its
    /// message.
    public let path: String?
    /// How many bytes it takes.
    public let byteCount: UInt64
    /// When the file came to be known: when the first event with its size was recorded.
    public let time: Timestamp
    /// That event.
    public let position: Position

    /// The position of the first event with its size.
    public var id: Position { position }

    /// Creates a file, for previews and tests.
    public init(
        message: MessageReference, index: UInt8 = 0, conversation: ConversationKey, path: String?, byteCount: UInt64,
        time: Timestamp,
        position: Position
    ) {
        self.message = message
        self.index = index
        self.conversation = conversation
        self.path = path
        self.byteCount = byteCount
        self.time = time
        self.position = position
    }
}

/// How many files this device keeps, and how many bytes they take.
public struct LocalFileTotals: Sendable, Hashable {
    /// How many files there are.
    public let count: Int
    /// The sum of their bytes.
    public let byteCount: UInt64

    /// Creates totals, for previews and tests.
    public init(count: Int = 0, byteCount: UInt64 = 0) {
        self.count = count
        self.byteCount = byteCount
    }
}

/// The order in which files are listed.
public enum LocalFileOrder: Sendable, Hashable, CaseIterable {
    /// By size; of one size by index, conversation and message.
    case largestFirst
    /// By when they came to be known.
    case oldestFirst
}

extension Views {
    /// The files of messages that this device keeps, for cleaning up.
    ///
    /// A file is listed from the first `AttachmentStateChanged` with a size to the next one of its attachment without,
    /// whatever becomes of the message: also while it is deleted, cleared, recalled or hidden, and before it comes. The
    /// store keeps the records and deletes no file. Costs a seek, and two records of the log for each file.
    ///
    /// - Parameters:
    ///   - conversation: Whose files; nil for those of all conversations.
    ///   - order: Which come first.
    ///   - last: The last one of the page before, which need not be there any more; nil for the first page.
    ///   - limit: The maximum number of files, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func localFiles(
        in conversation: ConversationKey? = nil, by order: LocalFileOrder = .largestFirst, after last: LocalFile? = nil,
        limit: Int = 20
    ) throws -> Page<LocalFile, LocalFile> {
        try Self.check(limit: limit)
        guard let scope = try scope(conversation) else { return Page([]) }
        let start = try last.map { try key(of: $0, order, in: scope) } ?? RankedFileKey(scope: scope, order: order)
        var files: [LocalFile] = []
        var cursor = try snapshot.rows(MessageDetails.fileOrder, from: start)
        while files.count <= limit, try cursor.next() {
            let key = try cursor.key(of: MessageDetails.fileOrder)
            guard key.scope == scope, key.order == order else { break }
            let _: NoValue = try cursor.row(of: MessageDetails.fileOrder)
            if key == start { continue }
            guard let row = try snapshot.localFile(key.index, of: key.name, in: key.conversation) else {
                throw StoreError.unreadableRow(of: MessageDetails.fileOrder.place, at: cursor.key)
            }
            files.append(try localFile(row, of: key))
        }
        return Page(files, limit: limit, next: { $0 })
    }

    /// How many files of messages this device keeps, and how many bytes they take. Costs a point read.
    ///
    /// - Parameter conversation: Whose files; nil for those of all conversations.
    /// - Throws: `StoreError`.
    public borrowing func localFileTotals(of conversation: ConversationKey? = nil) throws -> LocalFileTotals {
        guard let scope = try scope(conversation) else { return LocalFileTotals() }
        let total = try snapshot.localFileTotal(in: scope)
        guard let count = Int(exactly: total.count) else {
            throw StoreError.impossibleCount(in: MessageDetails.fileTotals, at: scope)
        }
        return LocalFileTotals(count: count, byteCount: total.byteCount)
    }

    /// The number of a conversation, or of none for all; nil where the store does not know it.
    private borrowing func scope(_ conversation: ConversationKey?) throws -> ConversationNumber? {
        guard let conversation else { return ConversationNumber.none }
        return try snapshot.symbols.number(of: conversation)
    }

    private borrowing func localFile(_ row: LocalFileRow, of key: RankedFileKey) throws -> LocalFile {
        let since = try snapshot.record(at: Position(row.since), namedBy: MessageDetails.files.place).now
        let record = try snapshot.record(at: Position(row.position), namedBy: MessageDetails.files.place)
        guard record.type == .attachmentStateChanged else {
            throw StoreError.danglingRow(in: MessageDetails.files.place, position: record.position)
        }
        // Of the event nothing else is shown.
        let words = FieldReader(snapshot.isLentToProjection ? RawSpan() : record.content)
        let message: MessageReference =
            switch key.name {
            case .server(let id): .server(ServerMessageID(String(decoding: id, as: UTF8.self)))
            case .local(let local): .local(local)
            }
        return LocalFile(
            message: message, index: key.index, conversation: try snapshot.symbols.conversation(key.conversation),
            path: words.firstString(AttachmentStateChanged.localPath.field.number), byteCount: row.byteCount,
            time: since,
            position: Position(row.since))
    }

    /// The place of a file, whether it is still there or not.
    private borrowing func key(
        of file: LocalFile, _ order: LocalFileOrder, in scope: ConversationNumber
    ) throws -> RankedFileKey {
        RankedFileKey(
            scope: scope, order: order,
            rank: order.rank(byteCount: file.byteCount, since: file.position.rawValue, index: file.index),
            conversation: try snapshot.symbols.number(of: file.conversation) ?? .none, name: MessageName(file.message))
    }
}
