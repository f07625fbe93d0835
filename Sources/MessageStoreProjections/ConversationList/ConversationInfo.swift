@_spi(Storage) internal import MessageStoreLog

/// The fields of a conversation that services reported, and the tags that this account put on it.
struct ConversationInfo: ViewRow {
    /// Next to the fields of events, which it takes over as they are.
    static let tagField: UInt32 = 16
    static let valueField: UInt32 = 17
    private typealias Fields = ConversationFields

    var name: String?
    var creator = UserNumber.none
    var avatarURL: String?
    var attributes: [UInt8]?
    /// The attributes that queries can ask for, as the host set them; they go before ``values``.
    var indexed: [String: String] = [:]
    /// Those that are in ``attributes``, where these are a JSON object.
    private(set) var values = AttributeValues()
    /// In the order of their bytes.
    private(set) var tags: [String] = []

    init() {}

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        describeFields(&parts)
        parts.field(Self.tagField, "tags", &tags, .strings)
        parts.field(Self.valueField, "values", &values, .attributeValues)
    }

    /// The parts that events have too.
    private mutating func describeFields(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.field(Fields.name.number, "name", &name, .string)
        parts.field(Fields.creator.number, "creator", &creator, .user)
        parts.field(Fields.avatarURL.number, "avatarURL", &avatarURL, .string)
        parts.field(Fields.attributes.number, "attributes", &attributes, .bytes)
        parts.field(Fields.indexed.number, "indexed", &indexed, .pairs)
    }

    /// Takes over all fields that a service reports; tags are this account's own.
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

    /// Takes over the fields that an event sets; the others stay.
    mutating func apply(_ event: RecordView) {
        var fields = EventFields(event.fields)
        let before = attributes
        while fields.next() { describeFields(&fields) }
        if attributes != before { values = attributes.map { AttributeValues(json: $0) } ?? AttributeValues() }
    }
}
