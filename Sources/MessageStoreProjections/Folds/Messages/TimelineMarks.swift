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
    ///   - part: The part of these messages; anchors may be any messages of the conversation.
    ///   - types: The types to show.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Returns: An empty page for a conversation without messages.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, `notFound` for an unknown anchor.
    public borrowing func media(
        in conversation: ConversationKey, _ part: TimelinePart = .latest, types: Set<ContentType> = [.image],
        limit: Int = 20
    ) throws -> TimelinePage {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return .unknown }
        return try page(part, of: walk(number, types: types, without: .isRecalled), limit: limit)
    }

    /// Messages of a conversation that mention this account, newest first; recalled ones are left out.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func mentions(
        in conversation: ConversationKey, after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Message> {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return Page([]) }
        let found = try mentionWalk(number).older(than: cursor?.place(in: number), limit: limit, snapshot)
        return try page(found, in: number)
    }

    /// Unread messages of a conversation that mention this account, oldest first; `unread(of:)` counts them.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func unreadMentions(
        in conversation: ConversationKey, after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Message> {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return Page([]) }
        let marker = try snapshot.unreadRow(of: number).marker
        var walk = try mentionWalk(number)
        walk.marker = marker
        let start = try cursor?.place(in: number) ?? marker.lowestUnread
        return try page(walk.newer(than: start, limit: limit, isInclusive: false, snapshot), in: number)
    }

    private borrowing func page(
        _ found: (rows: [TimelineWalk.Row], next: OrderKey?), in conversation: ConversationNumber
    ) throws -> Page<Message> {
        let last = found.next == nil ? nil : found.rows.last?.order
        return Page(try messages(found.rows), next: last.map { PageCursor($0, in: conversation) })
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
