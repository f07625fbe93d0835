import Foundation
import MessageStore
@testable import MessageStoreTestSupport

/// ChatKit's example of a custom message, its words as the document has them: everything stands in the attributes.
struct CardPayload: MessagePayload, Equatable {
    static let contentType = ContentType(1, in: .leanCloud)
    var clientID: String
    var conversationType = 0

    init(clientID: String, conversationType: Int = 0) {
        self.clientID = clientID
        self.conversationType = conversationType
    }

    init(decoding content: MessageContent) throws {
        guard let attributes = content.jsonAttributes, let clientID = attributes["clientId"]?.stringValue else {
            throw Unreadable()
        }
        self.clientID = clientID
        if case .integer(let number) = attributes["conversationType"] { conversationType = Int(number) }
    }

    func encode() throws -> MessageContent {
        var content = MessageContent(type: Self.contentType)
        try content.setAttributes([
            "typeTitle": "名片",
            "degrade": "这是一条名片消息，当前版本过低无法显示，请尝试升级APP查看",
            "summary": "有人向您发送了一条名片消息，请打开APP查看",
            "conversationType": .integer(Int64(conversationType)),
            "clientId": .string(clientID),
        ])
        return content
    }
}

struct Unreadable: Error {}

/// Spider's text message as its document writes it: the data is the service's own JSON, the text within.
struct SpiderTextPayload: MessagePayload, Codable, Equatable {
    static let contentType: ContentType = "SP:TxtMsg"
    static let policy = MessagePolicy(persistFlag: 2)
    var text: String?
    var extra: [String: JSONValue]?
    var digest: String?

    var preview: String? { digest.flatMap { $0.isEmpty ? nil : $0 } ?? text }

    init(_ text: String?, extra: [String: JSONValue]? = nil, digest: String? = nil) {
        self.text = text
        self.extra = extra
        self.digest = digest
    }

    init(decoding content: MessageContent) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(content.data))
    }

    func encode() throws -> MessageContent {
        var sent = self
        sent.text = text ?? ""
        return MessageContent(type: Self.contentType, text: sent.text, data: Array(try JSONEncoder().encode(sent)))
    }
}

/// A host's own payload, made of nothing but its properties.
struct PollPayload: JSONPayload, Equatable {
    static let contentType: ContentType = "com.example/poll"
    static let policy: MessagePolicy? = .silent
    var question: String
    var choices: [String]
    var preview: String? { question }
}

extension DecodedContent {
    func payload<Payload: MessagePayload>(_ type: Payload.Type = Payload.self) -> Payload? {
        if case .payload(let payload) = self { payload as? Payload } else { nil }
    }

    /// What stands in for an unknown content; nil where it is known.
    var unknown: String?? {
        if case .unknown(let text) = self { .some(text) } else { nil }
    }
}

extension MessageStore {
    func lastDigest(of conversation: ConversationKey = group) throws -> String? {
        try self.conversation(conversation)?.lastMessage.flatMap { contentTypes.preview(of: $0) }
    }

    /// Records a message with this content and gives it back as it is read.
    func readBack(_ content: MessageContent, _ id: ServerMessageID = "a") throws -> MessageContent? {
        let message = MessageReceived(serverID: id, sender: "bob", sentTime: ms(10), content: content)
        try record(Event(message, in: group))
        return try self.message(id)?.content
    }
}
