/// Received messages were read, listened to, downloaded or retrieved, here or on another device.
public struct MessageStatusFlagsSet: ConversationPayload {
    /// The messages.
    public var messages: [MessageReference]
    /// The bits to set, at least one; bits that do not fit a message's type are ignored.
    public var flags: MessageFlags

    /// Creates the event.
    public init(_ messages: [MessageReference], flags: MessageFlags) {
        self.messages = messages
        self.flags = flags
    }
}

extension MessageStatusFlagsSet: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageStatusFlagsSet, "MessageStatusFlagsSet", scope: .conversation, traits: .changesTimeline)

    package static let messages = FieldOf(3, "messages", \Self.messages, .nonEmpty)
    package static let flags = FieldOf(5, "flags", \Self.flags)
    package static let fieldList = FieldList(Self.init, messages, flags)

    /// Refuses an event that sets nothing.
    package func check() throws {
        guard !flags.isEmpty else { throw invalid("sets no flag") }
    }
}

extension EventType {
    /// The type of ``MessageStatusFlagsSet``.
    @inlinable public static var messageStatusFlagsSet: EventType { EventType(rawValue: 0x11) }
}
