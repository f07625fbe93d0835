/// Plain text.
///
/// It always has a text, as its type demands on sending; content without one reads and writes as "".
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

    /// The text, also where it is empty.
    public var digest: String? { text }
}
