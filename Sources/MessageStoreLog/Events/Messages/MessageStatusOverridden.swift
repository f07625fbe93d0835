/// The host corrected the status of one of its own messages, even to an earlier status.
public struct MessageStatusOverridden: ConversationPayload {
    /// The message; messages of others have no status and are ignored.
    public var message: MessageReference
    /// The status from now on, any but ``MessageStatus/received``; later answers and receipts still raise it.
    public var status: MessageStatus

    /// Creates the event.
    public init(_ message: MessageReference, status: MessageStatus) {
        self.message = message
        self.status = status
    }
}

extension MessageStatusOverridden: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageStatusOverridden, "MessageStatusOverridden", scope: .conversation,
        traits: [.changesTimeline, .changesOneMessage])

    package static let message = FieldOf(3, "message", \Self.message)
    package static let status = FieldOf(5, "status", \Self.status)
    package static let fieldList = FieldList(Self.init, message, status)

    /// Refuses the status that only messages of others have.
    package func check() throws {
        guard status != .received else { throw invalid("sets the status of messages of others") }
    }
}

extension EventType {
    /// The type of ``MessageStatusOverridden``.
    @inlinable public static var messageStatusOverridden: EventType { EventType(rawValue: 0x0D) }
}
