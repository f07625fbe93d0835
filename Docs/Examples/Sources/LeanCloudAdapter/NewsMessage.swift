import MessageStore

/// A link to news, a type of the app's own.
struct NewsMessage: JSONPayload, Equatable {
    static let contentType = ContentType(1, in: AVIMMessageMediaType.namespace)
    var title: String
    var summary: String
    var preview: String? { "[news] \(title)" }
}
