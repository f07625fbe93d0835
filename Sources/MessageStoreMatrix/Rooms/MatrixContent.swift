/// An event's content in the store's terms.
struct MatrixContent {
    private static let types: [String: ContentType] = [
        "m.text": .text, "m.notice": .notice, "m.emote": .action, "m.image": .image, "m.audio": .audio,
        "m.video": .video, "m.file": .file, "m.location": .location,
    ]

    let message: MessageContent
    let policy: MessagePolicy
    let context: MessageContext

    /// Reads the content of an event of type `event`; nil where it is no message's.
    ///
    /// A redacted message has lost its own type, and gets that of its event.
    init?(_ content: JSONValue, of event: String, isRedacted: Bool = false) {
        var (type, name) = (ContentType?.none, event)
        if event == "m.room.message", !isRedacted {
            guard let own = content["msgtype"]?.string else { return nil }
            (type, name) = (Self.types[own], own)
        }
        // A name that is too long costs itself, and not the message.
        let other = ["matrix/\(name)", "matrix/\(event)"].first { $0.isIdentifier } ?? ""
        message = MessageContent(
            type: type ?? ContentType(other), text: content["body"]?.string, data: content.bytes)
        switch event {
        case "m.room.message": policy = type == .notice ? .uncounted : .standard
        case "m.room.encrypted": policy = .standard
        default: policy = .silent
        }
        context = MessageContext(content)
    }
}

extension MessageContext {
    fileprivate init(_ content: JSONValue) {
        let mentions = content["m.mentions"]
        let relation = content["m.relates_to"]
        // In a thread the reference may be there only for clients that know no threads.
        let isFallback = relation?["is_falling_back"]?.bool == true
        let reply = isFallback ? nil : relation?["m.in_reply_to"]?["event_id"]?.string
        let users = (mentions?["user_ids"]?.array ?? []).compactMap(\.string).filter(\.isIdentifier)
        self.init(
            mentions: users.map { UserID($0) }, mentionsEveryone: mentions?["room"]?.bool == true,
            replyTo: reply.flatMap { $0.isIdentifier ? ServerMessageID($0) : nil })
    }
}

extension String {
    /// Whether a store allows it as an id.
    var isIdentifier: Bool { 1...EventLimits.identifierBytes ~= utf8.count }
}
