/// The event of this position was lost when its log was damaged; salvage put this into its place.
///
/// Positions stay what they were, so references to the events around it still hold.
public struct RecordLost: AccountPayload {
    /// Creates the event.
    public init() {}
}

extension RecordLost: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.recordLost, "RecordLost", scope: .account)

    package static let fieldList = FieldList { Self() }
}

extension EventType {
    /// The type of ``RecordLost``.
    @inlinable public static var recordLost: EventType { EventType(rawValue: 0x65) }
}
