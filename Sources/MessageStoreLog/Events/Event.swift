/// One fact, ready to be recorded: what happened, in which conversation, and how the store learned of it.
///
/// ```swift
/// let message = Event.received("m1", from: "bob", in: .group("friends"), at: .now, content: .text("hello"))
/// let pin = Event(ConversationPinned(true), in: .group("friends"), origin: .otherDevice)
/// if let received = message.payload as? MessageReceived { print(received.sender) }
/// ```
public struct Event: Sendable {
    /// The payload, such as a ``MessageReceived``.
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

extension Event {
    /// Checks every documented rule; an event that passes can be encoded.
    package func validate(_ types: EventTypes = .builtIn) throws {
        try validateEnvelope(types, Swift.type(of: payload))
        try payload.validateFields()
        try payload.validate()
    }

    /// Checks what events of all types have in common.
    ///
    /// - Parameter payloadType: The payload's type.
    /// - Returns: The properties of the type; nil if it is not known.
    @discardableResult
    func validateEnvelope(
        _ types: EventTypes, _ payloadType: any EventPayload.Type
    ) throws -> EventCatalog.Scope? {
        let declared = types.scope(of: type)
        guard declared?.payload == ObjectIdentifier(payloadType) || payloadType == UnknownEvent.self else {
            throw invalid("is of a type that is not registered: name it in the configuration's events")
        }
        switch (declared?.scope ?? .any, conversation) {
        case (.conversation, nil), (.chatRoom, nil): throw invalid("needs a conversation")
        case (.account, .some): throw invalid("belongs to the account, not to a conversation")
        case (.chatRoom, .some(let key)) where key.kind != .chatRoom:
            throw invalid("is about a conversation that is no chat room")
        case (.conversation, .some(let key)) where key.kind == .chatRoom && tellsKind:
            throw invalid("tells the kind of a chat room, which is what its key says")
        default: break
        }
        if awaitsServer, let problem = problemOfWaiting { throw invalid(problem) }
        if let problem = conversation?._problem(.any) { throw invalid("names a conversation that \(problem)") }
        if let problem = id?._problem(.any) { throw invalid("has an event id that \(problem)") }
        if let problem = device?._problem(.any) { throw invalid("has a device id that \(problem)") }
        if let problem = serverTime?._problem(.any) { throw invalid("has a server time that \(problem)") }
        return declared
    }

    private var problemOfWaiting: String? {
        if origin != .local || type == .pendingChangeUpdated || type == .messageSnapshotReceived {
            return "waits for the server and was not made on this device"
        }
        return type.isMessage ? "waits for the server; messages to send wait in the outbox" : nil
    }

    /// Checks that fields of a newer version can be read to their end and are not fields of this one.
    func validateUnknownFields(_ types: EventTypes) throws {
        guard let known = types[type]?.numbers, !(payload is UnknownEvent) else {
            throw invalid("has its unknown fields among its own")
        }
        for (bytes, numbers) in [(unknownFields.fields, known.fields), (unknownFields.content, known.content)] {
            let reader = FieldReader(bytes.span.bytes)
            guard !reader.isBroken, reader.bytes(except: numbers) == bytes else {
                throw invalid("has unknown fields that are known or cannot be read")
            }
        }
    }

    /// Whether it sets the kind of its conversation.
    private var tellsKind: Bool {
        switch payload {
        case let created as ConversationCreated: created.fields.kind != nil
        case let updated as ConversationUpdated: updated.fields.kind != nil
        case let snapshot as ConversationSnapshotReceived: snapshot.fields.kind != nil
        default: false
        }
    }

    private func invalid(_ problem: String) -> StoreError { payload.invalid(problem) }
}

extension EventPayload {
    /// Checks each field by its own rules.
    func validateFields() throws {
        var validator = FieldValidator(payload: Self.self)
        try encode(to: &validator)
    }
}

extension Event {
    private static let knownContent = EventCatalog[.messageReceived]?.numbers.content ?? .none

    /// The event of an ``UndecodedMessage``, whose fields cannot fail: in one pass over its content, while asking for
    /// each field goes over it as often as there are fields.
    init(message record: RecordView, _ numbers: RecordNumbers, _ names: KeptNames) {
        var (text, pushText, senderName, avatarURL): (String?, String?, String?, String?)
        var (data, attributes): ([UInt8]?, [UInt8]?)
        var content = FieldReader(record.content)
        while let field = content.next() {
            switch field.id {
            // The first of a number counts.
            case MessageContent.Fields.text.number: text = text ?? field.string
            case MessageContent.Fields.data.number: data = data ?? field.bytes.copied
            case MessageContent.Fields.attributes.number: attributes = attributes ?? field.bytes.copied
            case MessageContext.Fields.pushText.number: pushText = pushText ?? field.string
            case SenderProfile.nameField.number: senderName = senderName ?? field.string
            case SenderProfile.avatarURLField.number: avatarURL = avatarURL ?? field.string
            default: break
            }
        }
        let (clientToken, flags) = (record.clientToken, record.flags)
        let message = MessageReceived(
            serverID: ServerMessageID(record.serverID.string), sender: names.actor?.value ?? UserID(""),
            sentTime: record.serverTime ?? .unknown,
            content: MessageContent(
                type: names.contentType?.value ?? ContentType(""), text: text, data: data ?? [],
                attributes: attributes ?? []),
            clientToken: clientToken.byteCount > 0 ? ClientToken(clientToken.string) : nil,
            policy: MessagePolicy(
                countsUnread: flags.contains(.countsUnread), updatesLastMessage: flags.contains(.updatesLastMessage)),
            context: MessageContext(pushText: pushText), needsReceipt: flags.contains(.needsReceipt),
            senderProfile: SenderProfile(name: senderName, avatarURL: avatarURL).unlessEmpty)
        var unknown = UnknownFields()
        if !numbers.content.isSubset(of: Self.knownContent) {
            unknown.content = FieldReader(record.content).bytes(except: Self.knownContent)
        }
        self.init(
            message, .messageReceived, in: names.conversation?.value,
            id: flags.contains(.hasEventID) ? record[CommonField.eventID].map(EventID.init) : nil,
            origin: record.origin, serverTime: record.serverTime,
            device: numbers.fields.contains(CommonField.device.number)
                ? record[CommonField.device].map(DeviceID.init) : nil,
            clock: record.slowClock, awaitsServer: flags.contains(.awaitsServer), unknownFields: unknown)
    }
}
