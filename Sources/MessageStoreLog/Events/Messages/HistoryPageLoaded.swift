/// A page of the server's history was loaded without holes between its ends.
public struct HistoryPageLoaded: EventPayload {
    /// The newest end of what is now known without holes.
    public var newest: MessageOrder
    /// The oldest end of what is now known without holes.
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

extension HistoryPageLoaded {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.historyPageLoaded, "HistoryPageLoaded", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``HistoryPageLoaded/newest`` is.
        public static let newest = Field<MessageOrder>(3, "newest")
        /// Where ``HistoryPageLoaded/oldest`` is.
        public static let oldest = Field<MessageOrder>(5, "oldest")
        /// Where ``HistoryPageLoaded/reachesBeginning`` is.
        public static let reachesBeginning = Field<Bool>(7, "reachesBeginning")
        /// Where ``HistoryPageLoaded/reachesEnd`` is.
        public static let reachesEnd = Field<Bool>(8, "reachesEnd")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            newest: try fields.decode(Fields.newest),
            oldest: try fields.decode(Fields.oldest),
            reachesBeginning: try fields.decode(Fields.reachesBeginning),
            reachesEnd: try fields.decode(Fields.reachesEnd))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(newest, for: Fields.newest)
        try fields.encode(oldest, for: Fields.oldest)
        try fields.encode(reachesBeginning, for: Fields.reachesBeginning)
        try fields.encode(reachesEnd, for: Fields.reachesEnd)
    }

    /// Refuses ends in the wrong order; ids decide between equal times.
    public func validate() throws {
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
