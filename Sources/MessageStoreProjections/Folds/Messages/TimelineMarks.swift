@_spi(Storage) internal import MessageStoreLog

/// The projection of marks: a secondary index of timeline rows by content type and mention.
///
/// Messages of every content type but the wordy ones have a mark, and so have messages that mention this account (A31,
/// E25).
struct TimelineMarks: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .timelineMarks, version: 3, events: .types(.with(.changesTimeline)), reads: [.messages, .timeline],
        traits: .unchangedByPlainMessages, tables: marks)
    static var marks: Table<MarkedPlaceKey, TimelineRow> { Table("timelineMarks", 28) }

    /// The mark of mentions; every other mark is a content type's number, from 1.
    static let mentions: UInt32 = 0

    /// Whether a content type has a mark, by its number.
    private var isMarked: [UInt32: Bool] = [:]
    /// The last type that was asked for and has none: most messages are of the same one.
    private var lastUnmarked: UInt32?
    private var key = ByteWriter(capacity: 320)

    /// Text, notices, actions and tips are most of a timeline: a mark would only repeat it.
    static func isMarked(_ type: ContentType) -> Bool {
        type != .text && type != .notice && type != .action && type != .tip
    }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try apply(changes.timeline, &rows)
    }

    private mutating func apply(_ changes: borrowing TimelineChanges, _ rows: inout FoldRows) throws {
        for change in changes.list {
            let order = changes.order(of: change)
            let mentioned = change.before.map(Self.mentions) ?? false
            if let row = change.after, Self.mentions(row) {
                put(row, Self.mentions, change.conversation, order, &rows)
            } else if mentioned {
                remove(Self.mentions, change.conversation, order, &rows)
            }
            let before = try typeMark(of: change.before, rows.snapshot)
            let after = try typeMark(of: change.after, rows.snapshot)
            if let row = change.after, let after { put(row, after, change.conversation, order, &rows) }
            if let before, before != after { remove(before, change.conversation, order, &rows) }
        }
    }

    private static func mentions(_ row: TimelineRow) -> Bool { row.flags.contains(.mentionsAccount) }

    private mutating func typeMark(of row: TimelineRow?, _ snapshot: borrowing ViewSnapshot) throws -> UInt32? {
        guard let type = row?.contentType, type != lastUnmarked else { return nil }
        if isMarked[type] == nil { isMarked[type] = Self.isMarked(try snapshot.symbols.contentType(type)) }
        if isMarked[type] == true { return type }
        lastUnmarked = type
        return nil
    }

    private mutating func put(
        _ row: TimelineRow, _ mark: UInt32, _ conversation: ConversationNumber, _ order: RawSpan, _ rows: inout FoldRows
    ) {
        MarkedPlaceKey.write(conversation, mark, order, to: &key)
        rows.put(Self.marks, at: key.bytes, row)
    }

    private mutating func remove(
        _ mark: UInt32, _ conversation: ConversationNumber, _ order: RawSpan, _ rows: inout FoldRows
    ) {
        MarkedPlaceKey.write(conversation, mark, order, to: &key)
        rows.remove(Self.marks, at: key.bytes)
    }
}

/// A stretch of some of a conversation's messages: its pictures, or the replies to a message.
public struct MessagePage: Sendable, Hashable {
    /// The messages, oldest first.
    public let messages: [Message]
    /// The index of the message around which the page was requested; nil if it is not among them.
    public let index: Int?
    /// Whether there are more messages beyond the older end.
    public let hasOlder: Bool
    /// Whether there are more messages beyond the newer end.
    public let hasNewer: Bool

    /// Creates a page, for previews and tests.
    public init(messages: [Message], index: Int? = nil, hasOlder: Bool = false, hasNewer: Bool = false) {
        self.messages = messages
        self.index = index
        self.hasOlder = hasOlder
        self.hasNewer = hasNewer
    }
}

extension Views {
    /// Messages of some types around one of a conversation, as a viewer of pictures shows them.
    ///
    /// Files and thumbnails are in the messages' contents, where the store's content types decode them.
    /// Recalled messages are left out. Costs a seek for each type and a few steps for each message of the page, however
    /// many other messages are between them; with text, notices, actions or tips among the types, a step for each
    /// row.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - types: The types to show.
    ///   - anchor: The message in the middle, whatever its type; nil for the newest messages.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Returns: An empty page for a conversation without messages.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, `notFound` for an unknown anchor.
    public borrowing func media(
        in conversation: ConversationKey, types: Set<ContentType> = [.image], around anchor: MessageReference? = nil,
        limit: Int = 20
    ) throws -> MessagePage {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return MessagePage(messages: []) }
        let walk = try walk(number, types: types, without: .isRecalled)
        guard let anchor else {
            let older = try walk.older(than: nil, limit: limit, snapshot)
            return MessagePage(
                messages: try messages(older.rows.reversed()), index: nil, hasOlder: older.hasMore, hasNewer: false)
        }
        let order = try order(of: .message(anchor), in: number)
        let older = try walk.older(than: order, limit: limit / 2, snapshot)
        let newer = try walk.newer(than: order, limit: limit - older.rows.count, isInclusive: true, snapshot)
        let rows = older.rows.reversed() + newer.rows
        return MessagePage(
            messages: try messages(rows), index: rows.firstIndex { $0.order == order }, hasOlder: older.hasMore,
            hasNewer: newer.hasMore)
    }

    /// Messages of a conversation that mention this account, newest first; recalled ones are left out.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - last: The last one of the page before; nil for the first page.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, `notFound` for an unknown anchor.
    public borrowing func mentions(
        in conversation: ConversationKey, after last: MessageReference? = nil, limit: Int = 20
    ) throws -> Page<Message, MessageReference> {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return Page([]) }
        let end = try last.map { try order(of: .message($0), in: number) }
        let found = try mentionWalk(number).older(than: end, limit: limit, snapshot)
        let messages = try messages(found.rows)
        return Page(messages, next: found.hasMore ? messages.last.map { .local($0.id) } : nil)
    }

    /// Unread messages of a conversation that mention this account, oldest first.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - limit: The maximum number of messages, 1 to 1000. `unread(of:)` counts all of them.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func unreadMentions(in conversation: ConversationKey, limit: Int = 20) throws -> [Message] {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return [] }
        let marker = try snapshot.unreadRow(of: number).marker
        var walk = try mentionWalk(number)
        walk.marker = marker
        return try messages(walk.newer(than: marker.lowestUnread, limit: limit, isInclusive: false, snapshot).rows)
    }

    /// The number of unread messages of some types in a conversation, as far as the store holds them.
    ///
    /// Costs a step for each unread row of the types; with text, notices, actions or tips among them, for each unread
    /// row.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - types: The types to count.
    /// - Throws: `StoreError`.
    public borrowing func unreadCount(of conversation: ConversationKey, types: Set<ContentType>) throws -> Int {
        guard let number = try snapshot.symbols.number(of: conversation) else { return 0 }
        let marker = try snapshot.unreadRow(of: number).marker
        var walk = try walk(number, types: types)
        walk.marker = marker
        return try walk.count(above: marker.lowestUnread, snapshot)
    }

    private borrowing func mentionWalk(_ conversation: ConversationNumber) throws -> TimelineWalk {
        TimelineWalk(
            conversation: conversation, clearing: try snapshot.clearing(of: conversation),
            source: .marks([TimelineMarks.mentions])
        ) { !$0.flags.contains(.isRecalled) }
    }
}

extension ProjectionID {
    /// A secondary index of the timeline by content type and mention.
    public static let timelineMarks: ProjectionID = "TimelineMarks"
}
