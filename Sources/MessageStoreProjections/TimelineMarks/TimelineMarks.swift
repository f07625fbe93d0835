@_spi(Storage) internal import MessageStoreLog

/// The projection of marks: a secondary index of timeline rows by content type and mention.
///
/// Messages of every content type but the wordy ones have a mark, and so have those that mention this account (A31,
/// E25).
struct TimelineMarks: BuiltInProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .timelineMarks, version: 3, events: .types(.with(.changesTimeline)), reads: [.messages, .timeline],
        tables: marks)
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
