/// An event of a Matrix room, with the fields that every event has.
public struct MatrixEvent: Sendable {
    /// The event's id; for the stripped state of an invitation, which has none, one made of its place.
    public let id: String
    /// The type, such as `m.room.message`.
    public let type: String
    /// The sender.
    public let sender: UserID
    /// The content, an object.
    public let content: JSONValue
    /// When the server of the sender says that it happened; `Timestamp.unknown` for stripped state.
    public let time: Timestamp
    /// The key of the state; nil for an event that is no state.
    public let stateKey: String?
    /// The data that the account's server added.
    public let unsigned: JSONValue?
    /// The event that a redaction is about.
    public let redacts: String?

    /// Reads an event of a timeline or of a room's state; nil if a field is missing or of the wrong type.
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

/// The receipt of a user: everything in the room, or in a thread of it, is read up to an event.
public struct MatrixReceipt: Sendable {
    /// The id of the event.
    public let event: String
    /// The reader.
    public let user: UserID
    /// When, by the server's clock.
    public let time: Timestamp
    /// `main`, or the thread's root, if messages of other threads are not read by it; nil if all are.
    public let thread: String?

    /// Whether it is of a thread alone.
    public var isOfThread: Bool { thread ?? "main" != "main" }

    /// The receipts of a room's part of a response, by event, kind and user.
    public static func all(in room: JSONValue) -> [MatrixReceipt] {
        room.events("ephemeral").filter { $0["type"]?.string == "m.receipt" }.flatMap { all(of: $0) }
    }

    static func all(of receipts: JSONValue) -> [MatrixReceipt] {
        (receipts["content"]?.members ?? []).flatMap { event, kinds in
            ["m.read", "m.read.private"].flatMap { kind in
                (kinds[kind]?.members ?? []).compactMap { user, receipt -> MatrixReceipt? in
                    guard receipt.object != nil else { return nil }
                    let time = Timestamp(milliseconds: receipt["ts"]?.integer ?? 0)
                    return MatrixReceipt(
                        event: event, user: UserID(user), time: time, thread: receipt["thread_id"]?.string)
                }
            }
        }
    }
}

/// An event's content in the store's terms.
struct MatrixContent {
    private static let types: [String: ContentType] = [
        "m.text": .text, "m.notice": .notice, "m.emote": .action, "m.image": .image, "m.audio": .audio,
        "m.video": .video, "m.file": .file, "m.location": .location,
    ]

    let message: MessageContent
    let policy: MessagePolicy
    let context: MessageContext

    /// Reads the content of an event of type `event`; nil if it is no message's.
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
        message = MessageContent(type: type ?? ContentType(other), text: content["body"]?.string, data: content.bytes)
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

/// A server's counts of unread messages in a room.
///
/// If a client asks for counts by thread, the room's count has the main timeline alone, and the room's number is the
/// sum.
struct MatrixCounts {
    private var main: [JSONValue]
    private var threads: [JSONValue]
    /// Whether the server reports any.
    let areKnown: Bool

    init(_ room: JSONValue) {
        func counts(_ values: [JSONValue]) -> [JSONValue] { values.filter { $0["notification_count"]?.integer != nil } }
        main = counts(room["unread_notifications"].map { [$0] } ?? [])
        threads = counts(room["unread_thread_notifications"]?.members.map(\.value) ?? [])
        areKnown = !(main + threads).isEmpty
    }

    var messages: UInt32 { sum("notification_count") }
    var mentions: UInt32 { sum("highlight_count") }

    /// Takes out the messages that a receipt up to the end of the timeline reads: the server may have counted before it
    /// had it.
    mutating func read(by receipt: MatrixReceipt) {
        main = []
        if receipt.thread == nil { threads = [] }
    }

    private func sum(_ name: String) -> UInt32 {
        let counts = (main + threads).map { UInt64(UInt32(clamping: $0[name]?.integer ?? 0)) }
        return UInt32(clamping: counts.reduce(0, +))
    }
}
