/// A conversation's messages were cleared for this account; the conversation stays in the list.
public struct HistoryCleared: ConversationPayload {
    /// The last message cleared; nil means all that is known at this position.
    public var upTo: MessageOrder?
    /// Whether the transport should delete them on the server as well.
    public var isRemote: Bool
    /// Whether everything that they say is removed from the log.
    public var erases: Bool
    /// Whether a `RetentionPolicy` cleared them, and nobody who read them: the read marker stays where it is.
    public var isRetention: Bool
    /// The messages up to ``upTo`` that stay, if they are shown now. A later clearing clears them unless it names them, and a
    /// clearing of everything keeps none.
    public var kept: [MessageReference]

    /// Creates the event.
    public init(
        upTo: MessageOrder? = nil, isRemote: Bool = false, erases: Bool = false, isRetention: Bool = false,
        kept: [MessageReference] = []
    ) {
        self.upTo = upTo
        self.isRemote = isRemote
        self.erases = erases
        self.isRetention = isRetention
        self.kept = kept
    }
}

extension HistoryCleared: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .historyCleared, "HistoryCleared", scope: .conversation, traits: .changesTimeline)

    package static let upTo = FieldOf(3, "upTo", \Self.upTo)
    package static let isRemote = FieldOf(5, "isRemote", \Self.isRemote)
    package static let erases = FieldOf(6, "erases", \Self.erases)
    package static let isRetention = FieldOf(7, "isRetention") { (event: Self) in event.isRetention ? true : nil }
    package static let kept = FieldOf(8, "kept", \Self.kept)
    package static let fieldList = FieldList(
        { Self(upTo: $0, isRemote: $1, erases: $2, isRetention: $3 ?? false, kept: $4) }, upTo, isRemote, erases,
        isRetention, kept)
}

extension EventType {
    /// The type of ``HistoryCleared``.
    @inlinable public static var historyCleared: EventType { EventType(rawValue: 0x0B) }
}
