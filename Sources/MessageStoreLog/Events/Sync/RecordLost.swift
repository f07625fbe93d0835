/// The event of this position was lost when its log was damaged; salvage put this into its place.
///
/// Positions stay what they were, so references to the events around it still hold.
public struct RecordLost: EventPayload {
    /// Creates the event.
    public init() {}
}

extension RecordLost {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.recordLost, "RecordLost", scope: .account)

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init()
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {}
}

extension EventType {
    /// The type of ``RecordLost``.
    @inlinable public static var recordLost: EventType { EventType(rawValue: 0x65) }
}
