/// The server accepted a queued message and gave it its id and, if it reports one, its time.
///
/// Without the time, the message keeps the time of its queueing, by this device's clock: it sorts by that time among
/// the messages that a server knows, and its time is provisional. A copy of the message with the server's time,
/// received live or from history, or a ``MessageSnapshotReceived``, gives it its time and place. Until then, reads and
/// clears that name no place (everything read, everything cleared) do not reach it, and receipts up to a time do not
/// cover it.
public struct MessageSent: ConversationPayload {
    /// The queued message.
    public var message: LocalMessageID
    /// The id that the server gave.
    public var serverID: ServerMessageID
    /// The time that the server gave, which decides the message's place from now on; nil if it gave none.
    public var sentTime: Timestamp?

    /// Creates the event.
    public init(message: LocalMessageID, serverID: ServerMessageID, sentTime: Timestamp? = nil) {
        self.message = message
        self.serverID = serverID
        self.sentTime = sentTime
    }
}

extension MessageSent: BuiltInPayload {
    package static let declared = EventDeclaration(
        .messageSent, "MessageSent", scope: .conversation, traits: [.changesTimeline, .needsMessage])

    package enum Fields {
        package static let serverID = SlotField(ServerIDSlot(), "serverID")
        package static let sentTime = SlotField(OptionalServerTimeSlot(), "sentTime")
        package static let message = Field<LocalMessageID>(3, "message")
    }

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(
            message: try fields.decode(Fields.message),
            serverID: try fields.decode(Fields.serverID),
            sentTime: try fields.decode(Fields.sentTime))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try fields.encode(message, for: Fields.message)
        try fields.encode(serverID, for: Fields.serverID)
        try fields.encode(sentTime, for: Fields.sentTime)
    }
}

extension EventType {
    /// The type of ``MessageSent``.
    @inlinable public static var messageSent: EventType { EventType(rawValue: 0x02) }
}
