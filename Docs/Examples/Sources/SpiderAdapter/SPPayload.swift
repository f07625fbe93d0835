import Foundation
import MessageStore

/// A content that the store decodes, whichever type it is.
protocol SPDecodedPayload {
    var decoded: any SPMessageContentProtocol { get }
}

/// A type of content of the SDK, as the store's registry of types takes it.
struct SPPayload<Content: SPMessageContentProtocol>: MessagePayload, SPDecodedPayload {
    var content: Content

    static var contentType: ContentType { ContentType(Content.getMessageType()) }
    static var policy: MessagePolicy? { Content.getMessageProfileType().policy }
    var preview: String? { content.getMessageDigest() }
    var decoded: any SPMessageContentProtocol { content }

    init(_ content: Content) { self.content = content }

    init(decoding content: MessageContent) throws {
        var decoded = Content()
        try decoded.decode(Data(content.data))
        self.content = decoded
    }

    func encode() throws -> MessageContent {
        MessageContent(type: Self.contentType, data: Array(try content.encode()))
    }
}
