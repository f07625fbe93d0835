/// A page of the server's history was loaded without gaps between its ends.
public struct HistoryPageLoaded: ConversationPayload {
    /// The newest end of the stretch that is now known without gaps.
    public var newest: MessageOrder
    /// The oldest end of the stretch that is now known without gaps; not newer than ``newest``.
    public var oldest: MessageOrder
    /// Whether nothing older exists on the server.
    public var reachesBeginning: Bool
    /// Whether nothing newer existed on the server when the page was loaded.
    public var reachesEnd: Bool

    /// Creates the event.
    public init(newest: MessageOrder, oldest: MessageOrder, reachesBeginning: Bool = false, reachesEnd: Bool = false) {
        self.newest = newest
        self.oldest = oldest
        self.reachesBeginning = reachesBeginning
        self.reachesEnd = reachesEnd
    }
}

extension HistoryPageLoaded: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.historyPageLoaded, "HistoryPageLoaded", scope: .conversation)

    package static let newest = FieldOf(3, "newest", \Self.newest)
    package static let oldest = FieldOf(5, "oldest", \Self.oldest)
    package static let reachesBeginning = FieldOf(7, "reachesBeginning", \Self.reachesBeginning)
    package static let reachesEnd = FieldOf(8, "reachesEnd", \Self.reachesEnd)
    package static let fieldList = FieldList(Self.init, newest, oldest, reachesBeginning, reachesEnd)

    /// Refuses ends in the wrong order; ids decide between equal times.
    package func check() throws {
        let isInverted =
            if oldest.time != newest.time {
                oldest.time > newest.time
            } else if let first = oldest.id, let last = newest.id {
                last < first
            } else {
                false
            }
        guard !isInverted else { throw invalid("has an oldest end that is newer than the newest") }
    }
}

extension EventType {
    /// The type of ``HistoryPageLoaded``.
    @inlinable public static var historyPageLoaded: EventType { EventType(rawValue: 0x0C) }
}
