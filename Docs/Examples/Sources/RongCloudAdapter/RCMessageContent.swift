import MessageStore

/// The content of a message: one of the SDK's own, or of a type that this version does not know.
enum RCMessageContent: Sendable, Equatable {
    case text(String)
    case voice(remoteUrl: String, duration: Double)
    case unknown(objectName: String, json: String)
}

extension RCMessageContent {
    /// The content as the store keeps it: its own types where there are such, so that previews and states apply.
    func stored() throws -> MessageContent {
        switch self {
        case .text(let text): .text(text)
        case .voice(let url, let duration): try AudioPayload(MediaFile(url: url), duration: duration).encode()
        case .unknown(let objectName, let json):
            MessageContent(type: ContentType(objectName), data: Array(json.utf8))
        }
    }

    init(_ content: MessageContent, types: ContentTypeRegistry) {
        switch types.decode(content) {
        case .payload(let text as TextPayload): self = .text(text.text)
        case .payload(let audio as AudioPayload):
            self = .voice(remoteUrl: audio.file.url ?? "", duration: audio.duration ?? 0)
        default:
            self = .unknown(
                objectName: content.type.rawValue, json: String(decoding: content.data, as: UTF8.self))
        }
    }
}
