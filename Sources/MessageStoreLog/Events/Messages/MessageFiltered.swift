/// A host's filter judged a message. The last verdict holds; it is recorded so that a replay needs no filter.
public struct MessageFiltered: ConversationPayload {
    /// The message.
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

/// The verdict of a host's filter on a received message.
public enum FilterVerdict: FieldGroup {
    /// Show it as it is, even if its visibility list leaves this account out.
    case keep
    /// Show nothing: it neither counts nor becomes the last message.
    case hide
    /// Show this content in its place; the original stays in the log.
    case replace(MessageContent)
    /// A verdict of a newer version, by its number and with its content, if any; it changes nothing here.
    case unknown(UInt8, MessageContent?)
}

extension FilterVerdict: BuiltInGroup {
    /// The verdict's number in records.
    package static let codeField = Field<UInt8>(5, "verdict")
    private static let contentTypeField = SlotField(OptionalContentTypeSlot(), "contentType")

    package enum Code {
        package static let keep: UInt8 = 0
        package static let hide: UInt8 = 1
        package static let replace: UInt8 = 2
    }

    /// Reads the number, and the content of a replacement.
    package init(reading fields: inout some FieldDecoder) throws {
        let code = try fields.decode(Self.codeField)
        let type = try fields.decode(Self.contentTypeField)
        let replacement = MessageContent(
            type: type ?? "",
            text: try fields.decode(MessageContent.Fields.text),
            data: try fields.decode(MessageContent.Fields.data) ?? [],
            attributes: try fields.decode(MessageContent.Fields.attributes) ?? [])
        switch code {
        case Code.keep: self = .keep
        case Code.hide: self = .hide
        case Code.replace: self = .replace(replacement)
        default: self = .unknown(code, type == nil ? nil : replacement)
        }
    }

    /// Writes the number, and the content of a replacement.
    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(code, for: Self.codeField)
        try content?.encode(to: &fields)
    }

    private var code: UInt8 {
        switch self {
        case .keep: Code.keep
        case .hide: Code.hide
        case .replace: Code.replace
        case .unknown(let code, _): code
        }
    }

    private var content: MessageContent? {
        switch self {
        case .replace(let content): content
        case .unknown(_, let content): content
        case .keep, .hide: nil
        }
    }
}
