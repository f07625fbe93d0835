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
