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

/// Why two messages with different server ids are treated as one.
public struct DuplicateRule: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The same sender gave both the same token; the second was not recorded, and its id refers to the first.
    public static let clientToken = DuplicateRule(rawValue: 1)
    /// The same sender, type and content within a short time; the second is recorded and hidden.
    public static let content = DuplicateRule(rawValue: 2)

    package static let known: [DuplicateRule: String] = [
        .clientToken: "clientToken", .content: "content",
    ]
}
