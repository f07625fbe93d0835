/// Teams are out of date: the last value is shown, marked stale, until fetched again.
public struct TeamInfoInvalidated: AccountPayload {
    /// The teams; nil means all.
    public var ids: [ConversationKey]?

    /// Creates the event.
    public init(_ ids: [ConversationKey]?) {
        self.ids = ids
    }
}

extension TeamInfoInvalidated: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.teamInfoInvalidated, "TeamInfoInvalidated", scope: .account)

    package static let ids = FieldOf(3, "ids", \Self.ids)
    package static let fieldList = FieldList(Self.init, ids)
}

extension EventType {
    /// The type of ``TeamInfoInvalidated``.
    @inlinable public static var teamInfoInvalidated: EventType { EventType(rawValue: 0x54) }
}
