import MessageStore
@testable import MessageStoreTestSupport

extension TypeNamespace {
    /// LeanCloud: negative numbers are the service's, 0 is reserved, positive ones are free.
    static let leanCloud = TypeNamespace(
        "leancloud", firstCustom: 1,
        standardTypes: [-1: .text, -2: .image, -3: .audio, -4: .video, -5: .location], requiringText: [-1])

    /// Spider: numbers up to 1000 are the service's.
    static let spider = TypeNamespace("spider", firstCustom: 1001)
}

extension MessageContent.AttributeKey {
    /// ChatKit's text for the push notification.
    static let summary = "summary"
    /// ChatKit's number of the sender's kind of conversation.
    static let conversationType = "conversationType"
}
