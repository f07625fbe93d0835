/// Plain text.
///
/// Content without a text is decoded as an empty one.
public struct TextPayload: MessagePayload, Hashable {
    /// `text`.
    public static let contentType = ContentType.text
    /// The text.
    public var text: String

    /// Wraps a text; nil becomes "".
    public init(_ text: String?) { self.text = text ?? "" }

    /// Reads the content's text.
    public init(decoding content: MessageContent) { self.init(content.text) }

    /// The content to send.
    public func encode() -> MessageContent { .text(text) }

    /// The text, even if it is empty.
    public var preview: String? { text }
}
