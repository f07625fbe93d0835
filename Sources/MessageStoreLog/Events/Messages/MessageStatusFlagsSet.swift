/// Received messages were read, listened to, downloaded or retrieved, here or on another device.
public struct MessageStatusFlagsSet: EventPayload {
    /// Which messages.
    public var messages: [MessageReference]
    /// The bits to set; bits that do not fit a message's type are ignored.
    public var flags: MessageFlags

    /// Creates the event.
    public init(_ messages: [MessageReference], flags: MessageFlags) {
        self.messages = messages
        self.flags = flags
    }
}

extension MessageStatusFlagsSet {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageStatusFlagsSet, "MessageStatusFlagsSet", scope: .conversation, traits: .changesTimeline)

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessageStatusFlagsSet/messages`` is.
        public static let messages = Field<[MessageReference]>(3, "messages", .nonEmpty)
        /// Where ``MessageStatusFlagsSet/flags`` is.
        public static let flags = Field<MessageFlags>(5, "flags")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.messages), flags: try fields.decode(Fields.flags))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(messages, for: Fields.messages)
        try fields.encode(flags, for: Fields.flags)
    }

    /// Refuses an event that sets nothing.
    public func validate() throws {
        guard !flags.isEmpty else { throw invalid("sets no flag") }
    }
}

extension EventType {
    /// The type of ``MessageStatusFlagsSet``.
    @inlinable public static var messageStatusFlagsSet: EventType { EventType(rawValue: 0x11) }
}
