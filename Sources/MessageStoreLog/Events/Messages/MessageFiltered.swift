/// A host's filter judged a message. The last verdict holds; it is recorded so that a replay needs no filter.
public struct MessageFiltered: ConversationPayload {
    /// Which message.
    public var message: MessageReference
    /// The verdict of the host's filter.
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

extension MessageFiltered: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messageFiltered, "MessageFiltered", scope: .conversation,
        traits: [.changesTimeline, .holdsWords, .readByPosition])

    package static let message = FieldOf(3, "message", \Self.message)
    package static let filterVersion = FieldOf(6, "filterVersion", \Self.filterVersion)
    package static let fieldList = FieldList(Self.init, message, GroupOf(\Self.verdict), filterVersion)

    /// Refuses a known verdict under the name of an unknown one.
    package func check() throws {
        guard case .unknown(let code, _) = verdict else { return }
        guard code > FilterVerdict.Code.replace else { throw invalid("calls a verdict unknown that is known") }
    }
}

extension EventType {
    /// The type of ``MessageFiltered``.
    @inlinable public static var messageFiltered: EventType { EventType(rawValue: 0x16) }
}
