/// The content of a message: a type, a text if it has one, and data that the host encodes.
///
/// The store uses nothing but `text`, for previews; the rest is returned byte for byte.
public struct MessageContent: FieldGroup {
    /// The type of content.
    public var type: ContentType
    /// The text, or nil.
    public var text: String?
    /// The host's own encoding of the content.
    public var data: [UInt8]
    /// The extra attributes of the message as the server wrote them, such as a JSON object.
    public var attributes: [UInt8]

    /// Creates content.
    public init(type: ContentType, text: String? = nil, data: [UInt8] = [], attributes: [UInt8] = []) {
        self.type = type
        self.text = text
        self.data = data
        self.attributes = attributes
    }

    /// Plain text.
    public static func text(_ text: String) -> MessageContent {
        MessageContent(type: .text, text: text)
    }
}

extension MessageContent: BuiltInGroup {
    package enum Fields {
        package static let contentType = SlotField(ContentTypeSlot(), "contentType")
        package static let text = ContentField<String?>(1, "text")
        package static let data = ContentField<[UInt8]?>(2, "data")
        package static let attributes = ContentField<[UInt8]?>(3, "attributes")
    }

    package init(reading fields: inout some FieldDecoder) throws {
        self.init(
            type: try fields.decode(Fields.contentType),
            text: try fields.decode(Fields.text),
            data: try fields.decode(Fields.data) ?? [],
            attributes: try fields.decode(Fields.attributes) ?? [])
    }

    /// Writes the fields; empty bytes are not written.
    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(type, for: Fields.contentType)
        try fields.encode(text, for: Fields.text)
        try fields.encode(data.isEmpty ? nil : data, for: Fields.data)
        try fields.encode(attributes.isEmpty ? nil : attributes, for: Fields.attributes)
    }
}
