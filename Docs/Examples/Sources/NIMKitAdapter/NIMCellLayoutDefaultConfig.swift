import MessageStore

/// The kit's choice of a view for a message.
enum NIMCellLayoutDefaultConfig {
    private static let views: [ContentType: String] = [
        .text: "NIMSessionTextContentView", .image: "NIMSessionImageContentView", .audio: "NIMSessionAudioContentView",
        .video: "NIMSessionVideoContentView", .file: "NIMSessionFileTransContentView",
        .location: "NIMSessionLocationContentView", .notification: "NIMSessionNotificationContentView",
        .call: "NIMSessionNetChatNotifyContentView",
    ]

    /// What no type decodes is shown as unknown.
    static func cellContent(_ message: Message, _ store: MessageStore) -> String {
        guard case .payload = store.contentTypes.decode(message.content) else { return "NIMSessionUnknowContentView" }
        return views[message.content.type] ?? "NIMSessionUnknowContentView"
    }
}
