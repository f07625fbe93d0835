/// Which messages a receipt is about.
public enum ReceiptScope: FieldGroup {
    /// These messages, at least one.
    case messages([MessageReference])
    /// Every message up to this server time, that time included: this account's where others received or read them,
    /// those of others in a `ReadReceiptSent`.
    case upTo(Timestamp)
}

extension ReceiptScope: BuiltInGroup {
    package enum Fields {
        package static let messages = Field<[MessageReference]>(3, "messages")
        package static let upTo = Field<Timestamp?>(5, "upTo")
    }

    /// Reads messages or a time.
    package init(reading fields: inout some FieldDecoder) throws {
        let messages = try fields.decode(Fields.messages)
        let upTo = try fields.decode(Fields.upTo)
        self = upTo.map { .upTo($0) } ?? .messages(messages)
    }

    /// Writes messages or a time.
    package func write(to fields: inout some FieldEncoder) throws {
        switch self {
        case .messages(let messages):
            try fields.encode(messages, for: Fields.messages)
            try fields.encode(nil, for: Fields.upTo)
        case .upTo(let time):
            try fields.encode([], for: Fields.messages)
            try fields.encode(time, for: Fields.upTo)
        }
    }

    /// Whether the scope is an empty list.
    var isEmpty: Bool { self == .messages([]) }
}
