/// An event of a Matrix room, with the fields that every event has.
public struct MatrixEvent: Sendable {
    /// The event's id; for the stripped state of an invitation, which has none, one made of its place.
    public let id: String
    /// The type, such as `m.room.message`.
    public let type: String
    /// Who sent it.
    public let sender: UserID
    /// The content, an object.
    public let content: JSONValue
    /// When the server of the sender says that it happened; `Timestamp.unknown` for stripped state.
    public let time: Timestamp
    /// Whose or which state it is; nil for an event that is no state.
    public let stateKey: String?
    /// The data that the account's server added.
    public let unsigned: JSONValue?
    /// The event that a redaction is about.
    public let redacts: String?

    /// Reads an event of a timeline or of a room's state; nil where a field is missing or of the wrong type.
    public init?(_ value: JSONValue) {
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
        (self.id, self.type, self.sender, self.content, self.time) = (id, type, UserID(sender), content, time)
        stateKey = value["state_key"]?.string
        unsigned = value["unsigned"]
        redacts = value["redacts"]?.string ?? content["redacts"]?.string
    }

    /// The place in its room's order.
    public var place: MessageOrder { MessageOrder(time: time, id: ServerMessageID(id)) }

    /// Whether it becomes a message: it is neither state nor about another event.
    public var isMessage: Bool { stateKey == nil && !isEdit && type != "m.reaction" && type != "m.room.redaction" }

    /// How it is about another event, if it is.
    var relation: JSONValue? { content["m.relates_to"] }

    /// Whether it replaces the content of another event.
    var isEdit: Bool { relation?["rel_type"]?.string == "m.replace" }

    /// Whether it has lost its content.
    var isRedacted: Bool { unsigned?["redacted_because"] != nil }

    /// The state's content before, if the server reports it.
    var previousContent: JSONValue? { unsigned?["prev_content"] }
}
