/// This account sent read receipts to the senders of messages: for some, or one for all up to a time.
public struct ReadReceiptSent: ConversationPayload {
    /// The messages; up to a time means messages that others sent until then, whenever they arrive here.
    public var scope: ReceiptScope

    /// Creates the event.
    public init(_ scope: ReceiptScope) { self.scope = scope }

    /// Creates the event for some messages.
    public init(_ messages: [MessageReference]) { self.init(.messages(messages)) }
}

extension ReadReceiptSent: BuiltInPayload {
    package static let declared = EventDeclaration(
        .readReceiptSent, "ReadReceiptSent", scope: .conversation, traits: .changesTimeline)

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(try ReceiptScope(from: &fields))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws { try scope.encode(to: &fields) }

    /// Refuses an empty list of messages.
    package func check() throws {
        guard !scope.isEmpty else { throw invalid("names no message") }
    }
}

extension EventType {
    /// The type of ``ReadReceiptSent``.
    @inlinable public static var readReceiptSent: EventType { EventType(rawValue: 0x10) }
}
