/// One fact, ready to be recorded: what happened, in which conversation, and how the store learned of it.
///
/// ```swift
/// let message = Event.received("m1", from: "bob", in: .group("friends"), at: .now, content: .text("hello"))
/// let pin = Event(ConversationPinned(true), in: .group("friends"), origin: .otherDevice)
/// if let received = message.payload as? MessageReceived { print(received.sender) }
/// ```
public struct Event: Sendable {
    /// What happened, such as a ``MessageReceived``.
    public var payload: any EventPayload {
        didSet { type = payload.eventType }
    }
    /// The type of the payload.
    public private(set) var type: EventType
    /// The conversation in which it happened; nil only for events of the account as a whole.
    public var conversation: ConversationKey?
    /// The host's own id of the event: recording it again changes nothing.
    public var id: EventID?
    /// How the store learned of it.
    public var origin: Origin
    /// When the server says that it happened. Payloads that have a server time of their own, such as a message's
    /// `sentTime`, replace this one when they are recorded.
    public var serverTime: Timestamp?
    /// The device on which it happened; nil if the server does not report it.
    public var device: DeviceID?
    /// The time of this device's clock when the event was recorded, if the clock was earlier than at an event before, so
    /// that the time of recording is later; nil otherwise. The store sets it.
    public package(set) var clockTime: Timestamp?
    /// The later of ``clockTime`` and the newest time of a server in the log before, which timers begin with and other
    /// times are compared with; nil if ``clockTime`` is, and for what earlier versions recorded.
    public package(set) var correctedTime: Timestamp?
    /// Whether the host has yet to send this change to the server: the event waits in `Views.pendingChanges()` until a
    /// ``PendingChangeUpdated`` ends that. Only events of origin `local` can wait, and no messages: those to send are
    /// in the outbox.
    ///
    /// A ``MessageModified`` or ``MessageRecalled`` of origin `local` waits without it as well if the store knows the
    /// message, and then the server's echo ends it too: a host sets it on edits if it alone reports what the server
    /// accepted.
    public var awaitsServer = false
    /// Fields of the payload that only a newer version knows.
    public var unknownFields = UnknownFields()

    /// Creates an event of a conversation or a chat room; its rules are checked when it is recorded.
    public init(
        _ payload: any ConversationPayload,
        in conversation: ConversationKey,
        id: EventID? = nil,
        origin: Origin = .local,
        serverTime: Timestamp? = nil,
        device: DeviceID? = nil
    ) {
        self.init(any: payload, in: conversation, id: id, origin: origin, serverTime: serverTime, device: device)
    }

    /// Creates an event of the account; its rules are checked when it is recorded.
    public init(
        _ payload: any AccountPayload,
        id: EventID? = nil,
        origin: Origin = .local,
        serverTime: Timestamp? = nil,
        device: DeviceID? = nil
    ) {
        self.init(any: payload, in: nil, id: id, origin: origin, serverTime: serverTime, device: device)
    }

    /// Creates an event of a payload whose type is known only at run time, or may have either scope.
    ///
    /// - Parameter conversation: Nil for events of the account; an event that lacks the conversation of its scope, or
    ///   has one too many, is refused when it is recorded.
    public init(
        any payload: any EventPayload,
        in conversation: ConversationKey? = nil,
        id: EventID? = nil,
        origin: Origin = .local,
        serverTime: Timestamp? = nil,
        device: DeviceID? = nil
    ) {
        self.payload = payload
        type = payload.eventType
        self.conversation = conversation
        self.id = id
        self.origin = origin
        self.serverTime = serverTime
        self.device = device
    }

    /// An event as it is recorded.
    init(
        _ payload: any EventPayload, _ type: EventType, in conversation: ConversationKey?, id: EventID?, origin: Origin,
        serverTime: Timestamp?, device: DeviceID?, clock: (time: Timestamp?, corrected: Timestamp?), awaitsServer: Bool,
        unknownFields: UnknownFields
    ) {
        (self.payload, self.type, self.conversation, self.id) = (payload, type, conversation, id)
        (self.origin, self.serverTime, self.device) = (origin, serverTime, device)
        (clockTime, correctedTime) = clock
        (self.awaitsServer, self.unknownFields) = (awaitsServer, unknownFields)
    }

    /// The event, waiting to be sent to the server; see ``awaitsServer``.
    public func awaitingServer() -> Event {
        var event = self
        event.awaitsServer = true
        return event
    }
}

extension Event: Hashable {
    /// Whether everything about both is equal.
    public static func == (first: Event, second: Event) -> Bool {
        first.conversation == second.conversation && first.id == second.id && first.origin == second.origin
            && first.serverTime == second.serverTime && first.device == second.device
            && first.awaitsServer == second.awaitsServer && first.clockTime == second.clockTime
            && first.correctedTime == second.correctedTime
            && first.unknownFields == second.unknownFields && first.payload.isEqual(to: second.payload)
    }

    /// Feeds everything that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(payload)
        hasher.combine(conversation)
        hasher.combine(id)
        hasher.combine(origin)
        hasher.combine(serverTime)
        hasher.combine(device)
        hasher.combine(awaitsServer)
    }
}

extension EventPayload {
    fileprivate func isEqual(to other: any EventPayload) -> Bool {
        guard let other = other as? Self else { return false }
        return self == other
    }
}
