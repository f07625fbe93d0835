import MessageStore

/// A message of a type: the service's types have negative numbers, the app's positive ones.
struct AVIMTypedMessage: Sendable {
    static let namespace = TypeNamespace(
        "leancloud", firstCustom: 1,
        standardTypes: [-1: .text, -2: .image, -3: .audio, -4: .video, -5: .location], requiringText: [-1])

    var messageId: String
    var clientId: String
    var content: MessageContent

    init(messageId: String = "", clientId: String = "", content: MessageContent) {
        (self.messageId, self.clientId, self.content) = (messageId, clientId, content)
    }

    init(_ message: MessageReceived) {
        self.init(messageId: message.serverID.rawValue, clientId: message.sender.rawValue, content: message.content)
    }

    /// Whether its type is one of the app's.
    var isCustom: Bool { content.type.rawValue.hasPrefix("\(Self.namespace.name)/") }

    var text: String? { content.text }

    /// Makes it a text.
    mutating func becomeText(_ text: String) { content = .text(text) }

    func attribute(_ key: String) -> JSONValue? { content.jsonAttributes?[key] }
}
