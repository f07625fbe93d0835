/// A type of content: how it is decoded, encoded, counted and previewed.
///
/// The store keeps the bytes of content and never interprets them. They are decoded when a payload is needed, so a type
/// that is registered later applies to old messages as well, and removing it harms none.
public protocol MessagePayload: Sendable {
    /// The type of its content, unique among registered types.
    static var contentType: ContentType { get }
    /// Whether messages of this type are kept and count; nil leaves it to the sender's flag. Default: nil.
    static var policy: MessagePolicy? { get }
    /// Decodes content; if this throws, the content is treated as unknown.
    init(decoding content: MessageContent) throws
    /// The content to send, of the type ``contentType``; throws where the payload must not be sent.
    func encode() throws -> MessageContent
    /// The preview in the conversation list, or nil for the content's text or the type's label. Default: nil.
    var preview: String? { get }
}

extension MessagePayload {
    /// Leaves the policy to the sender's flag.
    public static var policy: MessagePolicy? { nil }
    /// Leaves the preview to the content's text, or the type's label.
    public var preview: String? { nil }
}

/// A payload that is encoded as JSON, with an optional text.
///
/// A conforming type declares its stored properties and nothing else. Unknown keys of the JSON are
/// ignored; they stay in the message's bytes.
public protocol JSONPayload: MessagePayload, Codable {
    /// The text that accompanies the content, kept as the content's text and not in the JSON. Default: none.
    var text: String? { get set }
    /// Checks rules beyond the types of the properties, before encoding and after decoding. Default: no checks.
    func validate() throws
}

extension JSONPayload {
    /// No text.
    public var text: String? {
        get { nil }
        set {}
    }

    /// Accepts every value.
    public func validate() throws {}

    /// Reads the JSON in the content's data.
    ///
    /// - Throws: `DecodingError`, or what ``validate()`` throws.
    public init(decoding content: MessageContent) throws {
        self = try JSONBytes.decode(Self.self, from: content.data)
        text = content.text
        try validate()
    }

    /// Writes the JSON into the content's data.
    ///
    /// - Throws: What ``validate()`` throws, or `EncodingError`.
    public func encode() throws -> MessageContent {
        try validate()
        return MessageContent(type: Self.contentType, text: text, data: try JSONBytes.encode(self))
    }
}

/// Content as decoded by a ``ContentTypeRegistry``.
public enum DecodedContent: Sendable {
    /// A value of a registered type.
    case payload(any MessagePayload)
    /// No registered type can decode it; the sender's fallback text, if any. The bytes are unchanged.
    case unknown(degradeText: String?)
}
