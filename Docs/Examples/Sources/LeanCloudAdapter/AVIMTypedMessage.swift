import MessageStore

/// A message of a type: one of the service's five, or one of the app's.
final class AVIMTypedMessage: AVIMMessage {
    let mediaType: Int
    let text: String?
    let attributes: [String: JSONValue]
    /// nil where the type is of a later version of the app.
    let payload: (any MessagePayload)?

    private init(_ payload: any MessagePayload, _ mediaType: Int, text: String?, attributes: [String: JSONValue]) {
        (self.payload, self.mediaType, self.text, self.attributes) = (payload, mediaType, text, attributes)
        super.init(content: "")
    }

    init(_ content: MessageContent, mediaType: Int, types: ContentTypeRegistry) {
        self.mediaType = mediaType
        (text, attributes) = (content.text, content.jsonAttributes ?? [:])
        if case .payload(let payload) = types.decode(content) { self.payload = payload } else { payload = nil }
        super.init(content: "")
    }

    static func text(_ text: String, attributes: [String: JSONValue] = [:]) -> AVIMTypedMessage {
        AVIMTypedMessage(TextPayload(text), AVIMMessageMediaType.text, text: text, attributes: attributes)
    }

    static func image(
        _ text: String? = nil, attachedFilePath: String, width: Int, height: Int, attributes: [String: JSONValue] = [:]
    ) -> AVIMTypedMessage {
        let image = ImagePayload(
            MediaFile(path: attachedFilePath, byteCount: 2_048, format: "png"), width: width, height: height, text: text
        )
        return AVIMTypedMessage(image, AVIMMessageMediaType.image, text: text, attributes: attributes)
    }

    static func location(
        _ text: String? = nil, latitude: Double, longitude: Double, attributes: [String: JSONValue] = [:]
    ) -> AVIMTypedMessage {
        let place = LocationPayload(latitude: latitude, longitude: longitude, text: text)
        return AVIMTypedMessage(place, AVIMMessageMediaType.location, text: text, attributes: attributes)
    }

    /// A message of the app's own type.
    static func custom(_ payload: some MessagePayload, attributes: [String: JSONValue] = [:]) -> AVIMTypedMessage {
        let number = AVIMMessageMediaType.number(of: type(of: payload).contentType) ?? 0
        return AVIMTypedMessage(payload, number, text: nil, attributes: attributes)
    }

    override func stored() throws -> MessageContent {
        var content = try payload?.encode() ?? MessageContent(type: AVIMMessageMediaType.namespace.type(for: mediaType))
        if !attributes.isEmpty { try content.setAttributes(attributes) }
        return content
    }

    /// The file that has to be uploaded before the message can be sent.
    var attachedFilePath: String? { (payload as? ImagePayload)?.file.path }

    /// What is sent once the file is on the server.
    func sent(withFileAt url: String?) throws -> MessageContent {
        guard let url, var image = payload as? ImagePayload else { return try stored() }
        (image.file.url, image.file.path) = (url, nil)
        return try AVIMTypedMessage(image, mediaType, text: text, attributes: attributes).stored()
    }
}
