/// This account sent read receipts to the senders of messages: for some, or one for all up to a time.
public struct ReadReceiptSent: EventPayload {
    /// Which messages; up to a time means those that others sent until then, whenever they arrive here.
    public var scope: ReceiptScope

    /// Creates the event.
    public init(_ scope: ReceiptScope) { self.scope = scope }

    /// Creates the event for some messages.
    public init(_ messages: [MessageReference]) { self.init(.messages(messages)) }
}

extension ReadReceiptSent {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .readReceiptSent, "ReadReceiptSent", scope: .conversation, traits: .changesTimeline)

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws { self.init(try ReceiptScope(from: &fields)) }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws { try scope.encode(to: &fields) }

    /// Refuses an empty list of messages.
    public func validate() throws {
        guard !scope.isEmpty else { throw invalid("names no message") }
    }
}

extension EventType {
    /// The type of ``ReadReceiptSent``.
    @inlinable public static var readReceiptSent: EventType { EventType(rawValue: 0x10) }
}
