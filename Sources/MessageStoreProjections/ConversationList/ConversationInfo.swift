@_spi(Storage) internal import MessageStoreLog

/// What services told of a conversation, and the tags that this account put on it.
struct ConversationInfo: ViewRow, Equatable {
    /// Beside the fields of events, which it takes over as they are.
    private static let tagField: UInt32 = 16
    private typealias Fields = ConversationFields.Fields

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
        case Fields.name.number: name = field.string
        case Fields.creator.number: creator = UInt32(truncatingIfNeeded: field.number)
        case Fields.avatarURL.number: avatarURL = field.string
        case Fields.attributes.number: attributes = field.bytes.copied
        case Fields.indexed.number: indexed = IndexedAttributes(field.bytes).values
        default: break
        }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.field(Fields.name.number, name)
        if creator != 0 { writer.field(Fields.creator.number, UInt64(creator)) }
        writer.field(Fields.avatarURL.number, avatarURL)
        writer.field(Fields.attributes.number, attributes)
        if !indexed.isEmpty { IndexedAttributes(indexed).write(Fields.indexed.number, to: &writer) }
        for tag in tags { writer.field(Self.tagField, tag) }
        return writer.bytes.copied
    }
}
