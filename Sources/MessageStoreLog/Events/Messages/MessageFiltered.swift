/// A host's filter judged a message. The last verdict holds; it is recorded so that a replay needs no filter.
public struct MessageFiltered: EventPayload {
    /// Which message.
    public var message: MessageReference
    /// What to do with it.
    public var verdict: FilterVerdict
    /// The version of the filter.
    public var filterVersion: UInt32

    /// Creates the event.
    public init(_ message: MessageReference, verdict: FilterVerdict, filterVersion: UInt32 = 1) {
        self.message = message
        self.verdict = verdict
        self.filterVersion = filterVersion
    }
}

extension MessageFiltered {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageFiltered, "MessageFiltered", scope: .conversation,
        traits: [.changesTimeline, .holdsWords, .readByPosition])

    /// The fields and their places.
    public enum Fields {
        /// Where ``MessageFiltered/message`` is.
        public static let message = Field<MessageReference>(3, "message")
        /// Where ``MessageFiltered/filterVersion`` is.
        public static let filterVersion = Field<UInt32>(6, "filterVersion")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.message),
            verdict: try FilterVerdict(from: &fields),
            filterVersion: try fields.decode(Fields.filterVersion))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(message, for: Fields.message)
        try verdict.encode(to: &fields)
        try fields.encode(filterVersion, for: Fields.filterVersion)
    }

    /// Refuses a known verdict under the name of an unknown one.
    public func validate() throws {
        guard case .unknown(let code, _) = verdict else { return }
        guard code > FilterVerdict.Code.replace else { throw invalid("calls a verdict unknown that is known") }
    }
}

extension EventType {
    /// The type of ``MessageFiltered``.
    @inlinable public static var messageFiltered: EventType { EventType(rawValue: 0x16) }
}
