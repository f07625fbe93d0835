/// The server left messages out: what is known of the conversation's timeline has a hole.
///
/// Messages received from now on, and `before` itself, are newer than the hole, until loaded history closes it.
public struct HistoryGapFound: EventPayload {
    /// The oldest message behind the hole; nil where none is known yet.
    public var before: MessageOrder?

    /// Creates the event.
    public init(before: MessageOrder? = nil) {
        self.before = before
    }
}

extension HistoryGapFound: BuiltInFields {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.historyGapFound, "HistoryGapFound", scope: .conversation)

    package static let before = FieldOf(3, "before", \Self.before)
    package static let fieldList = FieldList(Self.init, before)
}

extension EventType {
    /// The type of ``HistoryGapFound``.
    @inlinable public static var historyGapFound: EventType { EventType(rawValue: 0x18) }
}
