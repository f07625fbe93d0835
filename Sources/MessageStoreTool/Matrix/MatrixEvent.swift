internal import MessageStore

/// An event of a Matrix room, with the fields that every event has.
struct MatrixEvent {
    let type: String
    let sender: UserID
    let content: JSONValue
    /// The event's id; for the stripped state of an invitation, which has none, one made of its place.
    let id: String
    /// When the server of the sender says that it happened; `Timestamp.unknown` for stripped state.
    let time: Timestamp
    /// Whose or which state it is; nil for an event that is no state.
    let stateKey: String?
    /// The data that this server added.
    let unsigned: JSONValue?
    /// The event that a redaction is about.
    let redacts: String?

    /// Reads an event of a timeline or of a room's state; nil where a field is missing or of the wrong type.
    init?(_ value: JSONValue) {
        guard let id = value["event_id"]?.string, let time = value["origin_server_ts"]?.integer else { return nil }
        self.init(value, id: id, time: Timestamp(milliseconds: time))
    }

    /// Reads an event of an invitation's stripped state, received before `cursor`.
    init?(stripped value: JSONValue, cursor: String) {
        let place = [cursor, value["type"]?.string ?? "", value["state_key"]?.string ?? ""]
        self.init(value, id: place.joined(separator: " "), time: .unknown)
    }

    private init?(_ value: JSONValue, id: String, time: Timestamp) {
        guard let type = value["type"]?.string, let sender = value["sender"]?.string, let content = value["content"],
            content.object != nil
        else { return nil }
        self.type = type
        self.sender = UserID(sender)
        self.content = content
        self.id = id
        self.time = time
        stateKey = value["state_key"]?.string
        unsigned = value["unsigned"]
        redacts = value["redacts"]?.string ?? content["redacts"]?.string
    }

    /// Whether it replaces the content of another event.
    var isEdit: Bool { content["m.relates_to"]?["rel_type"]?.string == "m.replace" }

    /// Whether it becomes a message.
    var isMessage: Bool { stateKey == nil && !isEdit && type != "m.reaction" && type != "m.room.redaction" }

    /// The place in its room's order.
    var place: MessageOrder { MessageOrder(time: time, id: ServerMessageID(id)) }

    /// The state's content before, if the server reports it.
    var previousContent: JSONValue? { unsigned?["prev_content"] }
}

/// Why something of a response is not recorded.
enum MatrixSkip: String, Hashable {
    case ephemeral = "ephemeral"
    case accountData = "other account data"
    case state = "other state"
    case knock = "knock"
    case missingField = "field missing"
    case notAllowed = "not allowed in a store"
    case threadReceipt = "receipt of a thread"
    case unknownReceipt = "receipt of an unknown event"
    case unreadCount = "unread count without an event"
    case foreignEdit = "edit of an unknown or another's message"
}
