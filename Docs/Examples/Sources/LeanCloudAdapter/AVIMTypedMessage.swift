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

    static func audio(
        _ text: String? = nil, attachedFilePath: String, duration: Double, attributes: [String: JSONValue] = [:]
    ) -> AVIMTypedMessage {
        let file = MediaFile(path: attachedFilePath, byteCount: 4_096, format: "aac")
        let audio = AudioPayload(file, duration: duration, text: text)
        return AVIMTypedMessage(audio, AVIMMessageMediaType.audio, text: text, attributes: attributes)
    }

    static func video(
        _ text: String? = nil, attachedFilePath: String, duration: Double, attributes: [String: JSONValue] = [:]
    ) -> AVIMTypedMessage {
        let file = MediaFile(path: attachedFilePath, byteCount: 65_536, format: "mp4")
        let video = VideoPayload(file, duration: duration, text: text)
        return AVIMTypedMessage(video, AVIMMessageMediaType.video, text: text, attributes: attributes)
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
    var attachedFilePath: String? { file?.path }

    /// The file of a picture, an audio or a video message.
    var file: MediaFile? {
        switch payload {
        case let image as ImagePayload: image.file
        case let audio as AudioPayload: audio.file
        case let video as VideoPayload: video.file
        default: nil
        }
    }

    /// The length of an audio or a video message, in seconds.
    var duration: Double? { (payload as? AudioPayload)?.duration ?? (payload as? VideoPayload)?.duration }
    /// The place of a location message.
    var location: LocationPayload? { payload as? LocationPayload }

    /// What is sent once the file is on the server.
    func sent(withFileAt url: String?) throws -> MessageContent {
        guard let url, var file else { return try stored() }
        (file.url, file.path) = (url, nil)
        let sent: any MessagePayload
        switch payload {
        case var image as ImagePayload:
            image.file = file
            sent = image
        case var audio as AudioPayload:
            audio.file = file
            sent = audio
        case var video as VideoPayload:
            video.file = file
            sent = video
        default: return try stored()
        }
        return try AVIMTypedMessage(sent, mediaType, text: text, attributes: attributes).stored()
    }
}
