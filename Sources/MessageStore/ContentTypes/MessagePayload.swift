/// One type of content as a value of its own: how it is read, written, counted and shown.
///
/// The store keeps bytes and never interprets them. A payload is made of them whenever somebody looks, so registering
/// a type late repairs old messages, and removing it harms none.
public protocol MessagePayload: Sendable {
    /// The key under which the payload travels, unique among registered types.
    static var contentType: ContentType { get }
    /// Whether messages of this type are kept and count; nil leaves it to the sender's flag. Default: nil.
    static var policy: MessagePolicy? { get }
    /// Reads the payload of content; a throw is harmless, the content counts as unknown then.
    init(decoding content: MessageContent) throws
    /// The content to send, of the type ``contentType``; throws where the payload must not be sent.
    func encode() throws -> MessageContent
    /// The line for the conversation list, or nil for the content's text or the type's label. Default: nil.
    var digest: String? { get }
}

extension MessagePayload {
    /// Leaves the policy to the sender's flag.
    public static var policy: MessagePolicy? { nil }
    /// Leaves the digest to the content's text, or the type's label.
    public var digest: String? { nil }
}

/// A payload whose data is its own JSON, beside a text.
///
/// A conforming type declares its stored properties and nothing else. Keys of the JSON that it does not know are passed
/// over; they stay in the message's bytes.
public protocol JSONPayload: MessagePayload, Codable {
    /// The text that accompanies the content, kept as the content's text and not in the JSON. Default: none.
    var text: String? { get set }
    /// Checks what the types of the properties do not say; called before writing and after reading. Default: nothing.
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

/// What a content's bytes mean to this host.
public enum DecodedContent: Sendable {
    /// A value of a registered type.
    case payload(any MessagePayload)
    /// No registered type reads it; the sender's text for that case, if any. The bytes are untouched.
    case unknown(degradeText: String?)
}
