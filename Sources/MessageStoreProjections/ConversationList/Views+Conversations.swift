internal import MessageStoreLog

/// What services told of a conversation.
struct ConversationInfo: Equatable {
    var name: String?
    var creator: UInt32 = 0
    var avatarURL: String?
    var attributes: [UInt8]?

    init() {}

    init(_ row: RawSpan) {
        var reader = FieldReader(row)
        while let field = reader.next() { set(field) }
    }

    /// Takes over the fields that an event tells; the others stay.
    mutating func apply(_ event: RecordView) {
        var reader = event.fields
        while let field = reader.next() { set(field) }
    }

    private mutating func set(_ field: FieldReader.Field) {
        switch field.id {
        case 3: name = field.string
        case 4: creator = UInt32(truncatingIfNeeded: field.number)
        case 5: avatarURL = field.string
        case 6: attributes = field.bytes.copied
        default: break
        }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.field(3, name)
        if creator != 0 { writer.field(4, UInt64(creator)) }
        writer.field(5, avatarURL)
        writer.field(6, attributes)
        return writer.bytes.copied
    }
}

extension Views {
    borrowing func conversation(_ number: UInt32) throws -> ConversationRow? {
        guard let row = try row(.conversations, RowKey.number(number).span.bytes) else { return nil }
        guard let decoded = ConversationRow(row) else { throw StoreError.damagedView(.conversations) }
        return decoded
    }

    borrowing func info(of conversation: UInt32) throws -> ConversationInfo? {
        guard let row = try row(.conversationInfo, RowKey.number(conversation).span.bytes) else { return nil }
        return ConversationInfo(row)
    }

    /// When the newest message that waits for the server and may be shown in the list was queued; 0 where none does.
    borrowing func newestUnsentTime(in conversation: UInt32) throws -> UInt64 {
        let end = RowKey.end(of: conversation)
        var cursor = try rowsBackwards(.timeline, before: end.span.bytes)
        while try cursor.next(), cursor.key.loadBigEndian(at: 0, as: UInt32.self) == conversation,
            OrderBytes.isUnsent(cursor.key.extracting(4..<cursor.key.byteCount))
        {
            guard let row = TimelineRow(cursor.value) else { throw StoreError.damagedView(.timeline) }
            guard row.flags.contains(.updatesLastMessage) else { continue }
            guard let record = try log.record(at: Position(row.local.rawValue)) else { return 0 }
            return UInt64(clamping: record.recordedTime.milliseconds)
        }
        return 0
    }

    /// The newest message that may be shown in the list, unsent ones included.
    borrowing func lastMessage(in conversation: UInt32) throws -> (local: LocalMessageID, order: [UInt8])? {
        let floor = try floor(of: conversation) ?? []
        let end = RowKey.end(of: conversation)
        var cursor = try rowsBackwards(.timeline, before: end.span.bytes)
        while try cursor.next(), cursor.key.loadBigEndian(at: 0, as: UInt32.self) == conversation {
            let order = cursor.key.extracting(4..<cursor.key.byteCount)
            guard floor.span.bytes.precedes(order) else { return nil }
            guard let row = TimelineRow(cursor.value) else { throw StoreError.damagedView(.timeline) }
            if row.flags.contains(.updatesLastMessage) { return (row.local, order.copied) }
        }
        return nil
    }
}
