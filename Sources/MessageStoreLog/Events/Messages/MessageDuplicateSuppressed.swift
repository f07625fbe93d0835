/// A message was recognised as the repeat of another: a resend after a lost acknowledgement.
///
/// The repeat is not shown and does not count; later events about it apply to the original as well. The verdict is part
/// of the log, and another event with `duplicateOf: nil` reverses it.
public struct MessageDuplicateSuppressed: EventPayload {
    /// The server's id of the repeat.
    public var serverID: ServerMessageID
    /// The message that it repeats; nil reverses the verdict.
    public var duplicateOf: LocalMessageID?
    /// The rule that recognised it.
    public var rule: DuplicateRule

    /// Creates the event.
    public init(serverID: ServerMessageID, duplicateOf: LocalMessageID?, rule: DuplicateRule) {
        self.serverID = serverID
        self.duplicateOf = duplicateOf
        self.rule = rule
    }
}

extension MessageDuplicateSuppressed {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .messageDuplicateSuppressed, "MessageDuplicateSuppressed", scope: .conversation, traits: .changesTimeline)

    /// The fields and their places.
    public enum Fields {
        package static let serverID = EnvelopeField(.serverID, "serverID")
        /// Where ``MessageDuplicateSuppressed/duplicateOf`` is.
        public static let duplicateOf = Field<LocalMessageID?>(3, "duplicateOf")
        /// Where ``MessageDuplicateSuppressed/rule`` is.
        public static let rule = Field<DuplicateRule>(5, "rule")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            serverID: try fields.decode(Fields.serverID),
            duplicateOf: try fields.decode(Fields.duplicateOf),
            rule: try fields.decode(Fields.rule))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(serverID, for: Fields.serverID)
        try fields.encode(duplicateOf, for: Fields.duplicateOf)
        try fields.encode(rule, for: Fields.rule)
    }
}

extension EventType {
    /// The type of ``MessageDuplicateSuppressed``.
    @inlinable public static var messageDuplicateSuppressed: EventType { EventType(rawValue: 0x17) }
}
