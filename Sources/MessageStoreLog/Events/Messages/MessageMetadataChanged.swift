/// Key-value pairs attached to a message changed; for each key the latest change by `time` is shown.
public struct MessageMetadataChanged: ConversationPayload {
    /// The message.
    public var message: MessageReference
    /// The pairs to set.
    public var values: [String: String]
    /// The keys to remove.
    public var removed: [String]
    /// When, by the server's clock.
    public var time: Timestamp

    /// Creates the event.
    public init(_ message: MessageReference, set values: [String: String] = [:], remove: [String] = [], at: Timestamp) {
        self.message = message
        self.values = values
        removed = remove
        time = at
    }
}

extension MessageMetadataChanged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageMetadataChanged, "MessageMetadataChanged", scope: .conversation, traits: .changesOneMessage)

    package static let message = FieldOf(3, "message", \Self.message)
    package static let values = FieldOf(5, "values", \Self.values, .key)
    package static let removed = FieldOf(6, "removed", \Self.removed, .key)
    package static let time = EnvelopeFieldOf(.serverTime, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, message, values, removed, time)
}

extension EventType {
    /// The type of ``MessageMetadataChanged``.
    @inlinable public static var messageMetadataChanged: EventType { EventType(rawValue: 0x12) }
}
