/// A server's report about a conversation.
///
/// In ``ConversationCreated`` and ``ConversationUpdated`` a field that is nil was not reported and stays as it is. In
/// ``ConversationSnapshotReceived``, which is all that the server has, nil means that the conversation has none.
public struct ConversationFields: FieldGroup {
    /// The name.
    public var name: String?
    /// Who created it.
    public var creator: UserID?
    /// The picture.
    public var avatarURL: String?
    /// Free attributes as the server wrote them, byte for byte. Queries can ask for the values of a JSON object.
    public var attributes: [UInt8]?
    /// Further attributes by which queries can select, as strings, for servers whose attributes are no JSON; where a
    /// name is in both, this value counts. If not nil, they replace all of these.
    public var indexed: [String: String]?
    /// The kind of conversation, any but ``ConversationKind/unspecified``; if not reported, it stays as before, which at
    /// first is the key's.
    ///
    /// It is an attribute, by which conversations are listed, counted and named; the key stays the conversation's
    /// identity. Decisions that the store makes when it records a message use the key's kind: whether a list of who may
    /// see it hides it, how long the store looks for repeats, and which kind a filter gets. The key also decides about
    /// chat rooms: events can neither turn another conversation into a chat room nor a chat room into another
    /// conversation.
    public var kind: ConversationKind?

    /// Creates fields.
    public init(
        name: String? = nil, creator: UserID? = nil, avatarURL: String? = nil, attributes: [UInt8]? = nil,
        indexed: [String: String]? = nil, kind: ConversationKind? = nil
    ) {
        self.indexed = indexed
        self.kind = kind
        self.name = name
        self.creator = creator
        self.avatarURL = avatarURL
        self.attributes = attributes
    }
}

// The number 7 is the members of the events that have them.
extension ConversationFields: BuiltInGroup {
    package static let name = Field<String?>(3, "name")
    package static let creator = Field<UserID?>(4, "creator")
    package static let avatarURL = Field<String?>(5, "avatarURL")
    package static let attributes = Field<[UInt8]?>(6, "attributes")
    package static let indexed = Field<IndexedAttributes?>(8, "indexed")
    package static let kind = Field<ConversationKind?>(9, "kind")

    package init(reading fields: inout some FieldDecoder) throws {
        self.init(
            name: try fields.decode(Self.name),
            creator: try fields.decode(Self.creator),
            avatarURL: try fields.decode(Self.avatarURL),
            attributes: try fields.decode(Self.attributes),
            indexed: try fields.decode(Self.indexed)?.values,
            kind: try fields.decode(Self.kind))
    }

    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(name, for: Self.name)
        try fields.encode(creator, for: Self.creator)
        try fields.encode(avatarURL, for: Self.avatarURL)
        try fields.encode(attributes, for: Self.attributes)
        try fields.encode(indexed.map { IndexedAttributes($0) }, for: Self.indexed)
        try fields.encode(kind, for: Self.kind)
    }

    /// Why an event cannot set ``kind``, as the end of a sentence that begins with the event; nil if it can.
    var kindProblem: String? {
        if kind == .chatRoom { return "makes a chat room of a conversation, which its key alone can" }
        if kind == .unspecified { return "tells that the kind is unspecified; without one, it stays as it was" }
        return nil
    }
}

/// Pairs in a group of their own, so that no pairs differ from a record that does not mention them.
package struct IndexedAttributes: FieldValue {
    package let values: [String: String]
    private static let pairsNumber: UInt32 = 1

    package init(_ values: [String: String]) { self.values = values }

    /// The pairs in the bytes of a field.
    package init(_ bytes: RawSpan) { values = FieldReader(bytes).pairs(Self.pairsNumber) }

    /// The value of a name in the bytes of a field, without the other pairs; nil if there is none.
    package static func value(of name: RawSpan, in bytes: RawSpan) -> String? {
        var reader = FieldReader(bytes)
        while let pair = reader.next() {
            let parts = FieldReader(pair.bytes)
            guard pair.id == pairsNumber, let key = parts.first(1), key.bytes.isEqual(to: name) else { continue }
            return parts.firstString(2) ?? ""
        }
        return nil
    }

    package func write(_ number: UInt32, to writer: inout ByteWriter) {
        var nested = FieldWriter()
        nested.field(Self.pairsNumber, pairs: values)
        writer.field(number, nested.bytes)
    }

    package static var fieldType: FieldType { FieldType(.pairs) }
    package static var _placeholder: IndexedAttributes { IndexedAttributes([:]) }
    package func _write(_ number: UInt32, to writer: inout FieldWriter) throws {
        writer.group(number) { $0.field(Self.pairsNumber, pairs: values) }
    }
    package static func _read(_ number: UInt32, from source: FieldSource) throws -> IndexedAttributes? {
        guard let bytes = source.first(number)?.bytes else { return nil }
        return IndexedAttributes(bytes)
    }
    package var _text: String? { values._text }
    package init(from decoder: any Decoder) throws { values = try [String: String](from: decoder) }
    package func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}
