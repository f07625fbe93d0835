import MessageStore

/// A card of a user: the document's example of a type of the app's own.
struct LCCKVCardMessage: MessagePayload, Equatable {
    struct Unreadable: Error {}

    static let contentType = ContentType(1, in: AVIMTypedMessage.namespace)
    static let onlyVisible = "OnlyVisiableForPartClientIds"

    var clientId: String
    var conversationType: LCCKConversationType
    /// Who may see it; nil for all.
    var onlyVisibleFor: [String]?

    init(clientId: String, conversationType: LCCKConversationType, onlyVisibleFor: [String]? = nil) {
        (self.clientId, self.conversationType) = (clientId, conversationType)
        self.onlyVisibleFor = onlyVisibleFor
    }

    init(decoding content: MessageContent) throws {
        guard let attributes = content.jsonAttributes, let clientId = attributes["clientId"]?.stringValue else {
            throw Unreadable()
        }
        var listed: [String]?
        if case .array(let users) = attributes[Self.onlyVisible] { listed = users.compactMap(\.stringValue) }
        self.init(
            clientId: clientId, conversationType: attributes["conversationType"] == 0 ? .single : .group,
            onlyVisibleFor: listed)
    }

    /// The three attributes that ChatKit itself reads, and the card's.
    func encode() throws -> MessageContent {
        var content = MessageContent(type: Self.contentType)
        var attributes: [String: JSONValue] = [
            "typeTitle": "card", "degrade": "A card; update the app to see it.",
            "summary": "Somebody sent you a card.", "conversationType": .integer(Int64(conversationType.rawValue)),
            "clientId": .string(clientId),
        ]
        attributes[Self.onlyVisible] = onlyVisibleFor.map { .array($0.map { .string($0) }) }
        try content.setAttributes(attributes)
        return content
    }
}
