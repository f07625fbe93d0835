@_spi(Storage) internal import MessageStoreLog

/// What services told of a conversation, and the tags that this account put on it.
struct ConversationInfo: ViewRow, Equatable {
    /// Beside the fields of events, which it takes over as they are.
    private static let tagField: UInt32 = 16

    var name: String?
    var creator: UInt32 = 0
    var avatarURL: String?
    var attributes: [UInt8]?
    /// The attributes that queries can ask for.
    var indexed: [String: String] = [:]
    /// In the order of their bytes.
    private(set) var tags: [String] = []

    init() {}

    init?(_ row: RawSpan) {
        var reader = FieldReader(row)
        while let field = reader.next() {
            if field.id == Self.tagField { tags.append(field.string) } else { set(field) }
        }
        if reader.isMalformed { return nil }
    }

    /// Takes over everything that a service tells; tags are this account's own.
    mutating func replace(by event: RecordView) {
        var info = ConversationInfo()
        info.tags = tags
        info.apply(event)
        self = info
    }

    /// Takes tags off, then puts others on.
    mutating func setTags(remove removed: [String], add added: [String]) {
        tags.removeAll { tag in removed.contains { $0.hasSameBytes(as: tag) } }
        for tag in added where !tags.contains(where: { $0.hasSameBytes(as: tag) }) { tags.append(tag) }
        tags.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
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
        case 8: indexed = FieldReader.pairs(1, in: field.bytes)
        default: break
        }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.field(3, name)
        if creator != 0 { writer.field(4, UInt64(creator)) }
        writer.field(5, avatarURL)
        writer.field(6, attributes)
        if !indexed.isEmpty {
            var pairs = ByteWriter()
            pairs.field(1, pairs: indexed)
            writer.field(8, pairs.bytes.copied)
        }
        for tag in tags { writer.field(Self.tagField, tag) }
        return writer.bytes.copied
    }
}
