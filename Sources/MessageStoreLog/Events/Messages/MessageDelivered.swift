/// Messages of this account reached a member's device.
public struct MessageDelivered: EventPayload {
    /// Which messages.
    public var scope: ReceiptScope
    /// The member; nil if the server does not report it.
    public var member: UserID?
    /// When, by the server's clock.
    public var time: Timestamp

    /// Creates the event.
    public init(_ scope: ReceiptScope, to member: UserID? = nil, at time: Timestamp) {
        self.scope = scope
        self.member = member
        self.time = time
    }
}

extension MessageDelivered {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageDelivered, "MessageDelivered", scope: .conversation, traits: [.changesTimeline, .needsMessage])

    package enum Fields {
        package static let member = EnvelopeField(.optionalActor, "member")
        package static let time = EnvelopeField(.serverTime, "time")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try ReceiptScope(from: &fields),
            to: try fields.decode(Fields.member),
            at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try scope.encode(to: &fields)
        try fields.encode(member, for: Fields.member)
        try fields.encode(time, for: Fields.time)
    }

    /// Refuses an empty list of messages.
    public func validate() throws {
        guard !scope.isEmpty else { throw invalid("names no message") }
    }
}

extension EventType {
    /// The type of ``MessageDelivered``.
    @inlinable public static var messageDelivered: EventType { EventType(rawValue: 0x06) }
}
