/// A message was recognised as the repeat of another: a resend after a lost acknowledgement.
///
/// The repeat is not shown and does not count; later events about it apply to the original as well. The verdict is part
/// of the log, and another event with `duplicateOf: nil` reverses it.
public struct MessageDuplicateSuppressed: ConversationPayload {
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

extension MessageDuplicateSuppressed: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageDuplicateSuppressed, "MessageDuplicateSuppressed", scope: .conversation, traits: .changesTimeline)

    package static let serverID = EnvelopeFieldOf(.serverID, "serverID", \Self.serverID)
    package static let duplicateOf = FieldOf(3, "duplicateOf", \Self.duplicateOf)
    package static let rule = FieldOf(5, "rule", \Self.rule)
    package static let fieldList = FieldList(Self.init, serverID, duplicateOf, rule)
}

extension EventType {
    /// The type of ``MessageDuplicateSuppressed``.
    @inlinable public static var messageDuplicateSuppressed: EventType { EventType(rawValue: 0x17) }
}
