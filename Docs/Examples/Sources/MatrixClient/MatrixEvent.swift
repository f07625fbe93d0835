import MessageStore

/// An event of a room, with the fields that every event has.
struct MatrixEvent {
    let type: String
    let sender: UserID
    let content: JSONValue
    /// The event's id; for the stripped state of an invitation, which has none, one made of its place.
    let id: String
    /// When the server of the sender says that it happened.
    let time: Timestamp
    /// Whose or which state it is; nil for an event that is no state.
    let stateKey: String?
    /// The data that this server added.
    let unsigned: JSONValue?
    /// The event that a redaction is about.
    let redacts: String?

    /// Reads an event; nil where a field is missing or of the wrong type, or has a value that no store allows.
    init?(_ value: JSONValue) {
        guard let id = value["event_id"]?.string, id.isIdentifier, let time = value["origin_server_ts"]?.integer else {
            return nil
        }
        self.init(value, id: id, time: Timestamp(milliseconds: time))
    }

    /// Reads an event of an invitation's stripped state, which came with the response of `cursor`.
    init?(stripped value: JSONValue, cursor: String) {
        let place = [cursor, value["type"]?.string ?? "", value["state_key"]?.string ?? ""]
        self.init(value, id: place.joined(separator: " "), time: .unknown)
    }

    private init?(_ value: JSONValue, id: String, time: Timestamp) {
        guard let type = value["type"]?.string, let sender = value["sender"]?.string, sender.isIdentifier,
            let content = value["content"], case .object = content, Timestamp.unknown <= time, time <= .latest
        else { return nil }
        (self.type, self.sender, self.content, self.id, self.time) = (type, UserID(sender), content, id, time)
        stateKey = value["state_key"]?.string
        unsigned = value["unsigned"]
        redacts = value["redacts"]?.string ?? content["redacts"]?.string
    }

    /// The place in its room's order.
    var place: MessageOrder { MessageOrder(time: time, id: ServerMessageID(id)) }

    var relation: JSONValue? { content["m.relates_to"] }
    var isEdit: Bool { relation?["rel_type"]?.string == "m.replace" }
    var isRedacted: Bool { unsigned?["redacted_because"] != nil }
    /// Whether it is a message of its own: neither state nor about another event.
    var isMessage: Bool { stateKey == nil && !isEdit && type != "m.reaction" && type != "m.room.redaction" }
}

extension MessageContent {
    private static let types: [String: ContentType] = [
        "m.text": .text, "m.notice": .notice, "m.emote": .action, "m.image": .image, "m.audio": .audio,
        "m.video": .video, "m.file": .file, "m.location": .location,
    ]

    /// The content of a message; one that was redacted or encrypted has only the type of its event.
    init(matrix content: JSONValue, of event: String) {
        let name = event == "m.room.message" ? content["msgtype"]?.string : nil
        let known = name.flatMap { Self.types[$0] }
        let other = ["matrix/\(name ?? event)", "matrix/m.room.message"].first { $0.isIdentifier } ?? ""
        self.init(type: known ?? ContentType(other), text: content["body"]?.string, data: content.bytes)
    }
}
