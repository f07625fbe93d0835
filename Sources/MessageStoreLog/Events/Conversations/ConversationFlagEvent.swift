/// An event that sets a flag of a conversation, such as "pinned", or takes it away. The latest choice applies, in
/// whichever order they are recorded; of two with one time, the one that sets holds.
///
/// Deleting a conversation takes its flags away.
package protocol ConversationFlagEvent: ConversationPayload, BuiltInPayload, BuiltInFields {
    /// Whether the flag is set; it has the flag's name.
    static var flag: FieldOf<Self, Bool> { get }
    /// When that was chosen.
    static var flagTime: FieldOf<Self, Timestamp?> { get }

    /// When that was chosen; nil means when it is recorded.
    var time: Timestamp? { get }

    init(_ isSet: Bool, at time: Timestamp?)
}

extension ConversationFlagEvent {
    /// Whether it sets the flag.
    package var isSet: Bool { Self.flag.value(of: self) }
}

extension EventCatalog {
    /// The types that set flags of conversations.
    package static let conversationFlags: [any ConversationFlagEvent.Type] = payloads.compactMap {
        $0 as? any ConversationFlagEvent.Type
    }
}
