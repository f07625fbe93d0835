/// The server left messages out: the known timeline of the conversation has a gap.
///
/// Messages received from now on, and `before` itself, are newer than the gap, until loaded history closes it.
public struct HistoryGapFound: ConversationPayload {
    /// The oldest message after the gap; nil if none is known yet.
    public var before: MessageOrder?

    /// Creates the event.
    public init(before: MessageOrder? = nil) {
        self.before = before
    }
}

extension HistoryGapFound: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.historyGapFound, "HistoryGapFound", scope: .conversation)

    package static let before = FieldOf(3, "before", \Self.before)
    package static let fieldList = FieldList(Self.init, before)
}

extension EventType {
    /// The type of ``HistoryGapFound``.
    @inlinable public static var historyGapFound: EventType { EventType(rawValue: 0x18) }
}
