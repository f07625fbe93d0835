import MessageStore

/// The numbers of types: negative ones are the service's, 0 is reserved, positive ones are the app's.
enum AVIMMessageMediaType {
    static let text = -1
    static let image = -2
    static let audio = -3
    static let video = -4
    static let location = -5

    static let namespace = TypeNamespace(
        "leancloud", firstCustom: 1,
        standardTypes: [text: .text, image: .image, audio: .audio, video: .video, location: .location],
        requiringText: [text])

    /// The number of a stored type; nil for messages without a type.
    static func number(of type: ContentType) -> Int? {
        if let standard = (location...text).first(where: { namespace.type(for: $0) == type }) { return standard }
        let prefix = namespace.name + "/"
        return type.rawValue.hasPrefix(prefix) ? Int(type.rawValue.dropFirst(prefix.count)) : nil
    }
}
