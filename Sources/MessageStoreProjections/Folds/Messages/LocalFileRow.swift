@_spi(Storage) public import MessageStoreLog

/// The file of an attachment that this device keeps, or that it is gone.
struct LocalFileRow: ViewRow {
    /// The last event that recorded it, which has the path.
    var position: UInt64 = 0
    /// The first event that recorded it since it was last recorded as gone; 0 if it is gone.
    var since: UInt64 = 0
    var byteCount: UInt64 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("position", &position)
        parts.part("since", &since)
        parts.part("byteCount", &byteCount)
    }
}

extension LocalFileRow {
    /// The row where the file is there.
    var kept: LocalFileRow? { since == 0 ? nil : self }

    /// The later record of two names applies; the file is as old as the older record.
    mutating func join(_ other: LocalFileRow) {
        let oldest = [self, other].compactMap(\.kept).map(\.since).min()
        if other.position > position { self = other }
        if let oldest, kept != nil { since = oldest }
    }
}

/// How many files this device keeps.
struct LocalFileTotal: ViewRow {
    var count: UInt64 = 0
    var byteCount: UInt64 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("count", &count)
        parts.part("byteCount", &byteCount)
    }

    /// The total with one file in the place of another; nil if a count would be below zero or past its width.
    func replacing(_ old: LocalFileRow?, by row: LocalFileRow?) -> LocalFileTotal? {
        let fewer = count.subtractingReportingOverflow(old == nil ? 0 : 1)
        let less = byteCount.subtractingReportingOverflow(old?.byteCount ?? 0)
        let more = fewer.partialValue.addingReportingOverflow(row == nil ? 0 : 1)
        let larger = less.partialValue.addingReportingOverflow(row?.byteCount ?? 0)
        guard !fewer.overflow, !less.overflow, !more.overflow, !larger.overflow else { return nil }
        return LocalFileTotal(count: more.partialValue, byteCount: larger.partialValue)
    }
}

extension LocalFileOrder {
    /// The place of a file among others, the lowest first; its last byte is the attachment's index.
    func rank(byteCount: UInt64, since: UInt64, index: UInt8) -> UInt64 {
        switch self {
        case .largestFirst: ~byteCount << 8 | UInt64(index)
        case .oldestFirst: since << 8 | UInt64(index)
        }
    }
}

extension LocalFileOrder: RowValue {
    init?(stored: UInt8) {
        guard (1...2).contains(stored) else { return nil }
        self = stored == 1 ? .largestFirst : .oldestFirst
    }

    var stored: UInt8 { self == .largestFirst ? 1 : 2 }
}

/// The key of a row of `localFileOrder`: the files of a conversation, or of all where there is none, the lowest rank
/// first.
struct RankedFileKey: ViewKey {
    var scope = ConversationNumber.none
    var order = LocalFileOrder.largestFirst
    var rank: UInt64 = 0
    var conversation = ConversationNumber.none
    var name = MessageName.server([])

    /// The index of the attachment.
    var index: UInt8 { UInt8(truncatingIfNeeded: rank) }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("scope", &scope)
        parts.part("order", &order)
        parts.part("rank", &rank)
        parts.part("conversation", &conversation, .conversation)
        parts.message(&name)
    }

    var isPlausible: Bool { name != .server([]) }

    static var forms: [RankedFileKey] { MessageName.forms.map { RankedFileKey(name: $0) } }
}

extension MessageDetails {
    /// Notes the file of a message that this device keeps, or that it is gone, whatever becomes of the message (d48).
    /// The file of a repeat is kept by its original's name while no event recorded one for the original itself. The
    /// size says whether a file is there: it is a field, and redaction removes the path.
    func noteFile(_ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        let part = FilePart(index: event[AttachmentStateChanged.index] ?? 0)
        let names = try rows.snapshot.names(ofFile: event)
        guard let own = names.first, let original = names.last else { return }
        let kept = try rows.snapshot.hasFile(part, of: original, besides: own, in: conversation) ? own : original
        for name in kept == own ? [own] : [kept, own] {
            let key = DetailKey(part, of: name, in: conversation)
            let old = try rows.snapshot.row(Self.files, key)
            var row = LocalFileRow(position: event.position.rawValue)
            if name == kept, let byteCount = event[AttachmentStateChanged.byteCount] {
                row.byteCount = byteCount
                row.since = old?.kept?.since ?? row.position
            }
            try Self.setFile(key, from: old, to: row, &rows)
        }
    }

    static func setFile(
        _ key: DetailKey<FilePart>, from old: LocalFileRow?, to row: LocalFileRow?, _ rows: inout FoldRows
    ) throws {
        rows.set(files, key, row)
        let (message, index) = (key.message, key.part.index)
        for scope in [message.conversation, .none] {
            for order in LocalFileOrder.allCases {
                func key(_ row: LocalFileRow) -> RankedFileKey {
                    RankedFileKey(
                        scope: scope, order: order,
                        rank: order.rank(byteCount: row.byteCount, since: row.since, index: index),
                        conversation: message.conversation, name: message.name)
                }
                if let old = old?.kept { rows.remove(fileOrder, key(old)) }
                if let row = row?.kept { rows.put(fileOrder, key(row), NoValue()) }
            }
            try countFile(row?.kept, from: old?.kept, in: scope, &rows)
        }
    }

    private static func countFile(
        _ row: LocalFileRow?, from old: LocalFileRow?, in scope: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        guard row?.byteCount != old?.byteCount else { return }
        guard let total = try rows.snapshot.localFileTotal(in: scope).replacing(old, by: row) else {
            throw StoreError.impossibleCount(in: fileTotals, at: scope)
        }
        rows.set(fileTotals, scope, total.count == 0 ? nil : total)
    }
}

extension ViewSnapshot {
    /// The name of the message whose file an event recorded, and last its original's if it is a repeat.
    fileprivate borrowing func names(ofFile event: RecordView) throws -> [MessageName] {
        var names: [MessageName] = []
        try event.forEachReference { reference throws in
            names = try self.names(for: MessageName(reference), in: event.conversationNumber)
        }
        return names
    }

    /// Whether an original has a file that no event recorded for the repeat.
    fileprivate borrowing func hasFile(
        _ part: FilePart, of original: MessageName, besides repeated: MessageName, in conversation: ConversationNumber
    ) throws -> Bool {
        guard original != repeated,
            let file = try row(MessageDetails.files, DetailKey(part, of: original, in: conversation))?.kept
        else { return false }
        let record = try record(at: Position(file.position), namedBy: MessageDetails.files.viewTable)
        return try names(ofFile: record).first != repeated
    }

    /// The file of a message that this device keeps, or nil.
    borrowing func localFile(
        _ index: UInt8, of name: MessageName, in conversation: ConversationNumber
    ) throws -> LocalFileRow? {
        try row(MessageDetails.files, DetailKey(FilePart(index: index), of: name, in: conversation))?.kept
    }

    /// How many files this device keeps of a conversation, or of all where there is none.
    borrowing func localFileTotal(in scope: ConversationNumber) throws -> LocalFileTotal {
        try row(MessageDetails.fileTotals, scope) ?? LocalFileTotal()
    }
}

/// A message's file that this device keeps, by what the host recorded of it.
public struct LocalFile: Sendable, Hashable, Identifiable {
    /// The message; the store need not show or have it. An `AttachmentStateChanged` of it and the index, with a size of
    /// nil, records that the file is gone.
    public let message: MessageReference
    /// The host's number of the file among the message's files.
    public let index: UInt8
    /// Its conversation.
    public let conversation: ConversationKey
    /// The file's path; nil if no event recorded that or it was redacted. Delete a file before you redact its message.
    public let path: String?
    /// How many bytes it takes.
    public let byteCount: UInt64
    /// When the file came to be known: when the first event with its size was recorded.
    public let time: Timestamp
    /// The position of that event.
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
    ///   - conversation: The conversation of the files; nil for all conversations.
    ///   - order: The order of the files.
    ///   - last: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of files, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func localFiles(
        in conversation: ConversationKey? = nil, by order: LocalFileOrder = .largestFirst,
        after last: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<LocalFile> {
        try Self.check(limit: limit)
        guard let scope = try scope(conversation) else { return Page([]) }
        let start: RankedFileKey = try last?.key(.file) ?? RankedFileKey(scope: scope, order: order)
        guard start.scope == scope, start.order == order else { throw PageCursor.mismatch }
        var (files, keys): ([LocalFile], [RankedFileKey]) = ([], [])
        var cursor = try snapshot.rows(MessageDetails.fileOrder, from: start)
        while files.count <= limit, try cursor.next() {
            let key = try cursor.key(of: MessageDetails.fileOrder)
            guard key.scope == scope, key.order == order else { break }
            let _: NoValue = try cursor.row(of: MessageDetails.fileOrder)
            if key == start { continue }
            guard let row = try snapshot.localFile(key.index, of: key.name, in: key.conversation) else {
                throw StoreError.unreadableRow(of: MessageDetails.fileOrder.viewTable, at: cursor.key)
            }
            files.append(try localFile(row, of: key))
            keys.append(key)
        }
        return Page(files, limit: limit) { _ in PageCursor(.file, keys[limit - 1]) }
    }

    /// How many files of messages this device keeps, and how many bytes they take. Costs a point read.
    ///
    /// - Parameter conversation: The conversation of the files; nil for all conversations.
    /// - Throws: `StoreError`.
    public borrowing func localFileTotals(of conversation: ConversationKey? = nil) throws -> LocalFileTotals {
        guard let scope = try scope(conversation) else { return LocalFileTotals() }
        let total = try snapshot.localFileTotal(in: scope)
        guard let count = Int(exactly: total.count) else {
            throw StoreError.impossibleCount(in: MessageDetails.fileTotals, at: scope)
        }
        return LocalFileTotals(count: count, byteCount: total.byteCount)
    }

    /// How many bytes a file of a message takes on this device; nil if it is not there. Costs a point read.
    package borrowing func byteCount(of file: MessageAttachment, of message: Message) throws -> UInt64? {
        guard let number = try snapshot.symbols.number(of: message.conversation) else { return nil }
        return try snapshot.localFile(file.index, of: MessageName(message), in: number)?.byteCount
    }

    /// The number of a conversation, or of none for all; nil if the store does not know it.
    private borrowing func scope(_ conversation: ConversationKey?) throws -> ConversationNumber? {
        guard let conversation else { return ConversationNumber.none }
        return try snapshot.symbols.number(of: conversation)
    }

    private borrowing func localFile(_ row: LocalFileRow, of key: RankedFileKey) throws -> LocalFile {
        let since = try snapshot.record(at: Position(row.since), namedBy: MessageDetails.files.viewTable).now
        let record = try snapshot.record(at: Position(row.position), namedBy: MessageDetails.files.viewTable)
        guard record.type == .attachmentStateChanged else {
            throw StoreError.danglingRow(in: MessageDetails.files.viewTable, position: record.position)
        }
        // Of the event nothing else is shown.
        let words = FieldReader(snapshot.scope.isLentToProjection ? RawSpan() : record.content)
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
}
