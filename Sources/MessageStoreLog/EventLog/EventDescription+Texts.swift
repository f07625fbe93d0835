extension EventDescription {
    /// The fields of an event of this type and version in words, as ``EventPayload/fieldTexts`` gives those of a typed
    /// one.
    ///
    /// - Parameters:
    ///   - event: The event, as it is read where the type is not registered.
    ///   - serverTime: The server's time of the event, if any.
    package func fieldTexts(of event: UnknownEvent, serverTime: Timestamp? = nil) -> [FieldText] {
        fields.map { field in
            FieldText(
                name: field.name, text: text(of: field, event, serverTime), type: field.type,
                isContent: field.part == .content)
        }
    }

    private func text(of field: FieldDescription, _ event: UnknownEvent, _ serverTime: Timestamp?) -> String? {
        switch field.part {
        case .envelope: field.place == .actor ? event.actor?._text : serverTime?._text
        case .fields: field.text(in: event.fields)
        case .content: field.text(in: event.content)
        }
    }
}

extension FieldDescription {
    /// The value of the field in words, from fields that name users and conversations in full; nil where there is none,
    /// or it cannot be read.
    package func text(in bytes: [UInt8]) -> String? {
        let source = FieldSource(FieldReader(bytes.span.bytes), nil)
        guard let number, number <= FieldNumbers.highest, let value = type.value else { return nil }
        return value.text(number, source, isOptional: type.isOptional)
    }
}

extension FieldType {
    /// A type of values of this kind; nil for groups, whose fields are not described.
    fileprivate var value: (any FieldValue.Type)? {
        switch (kind, isList) {
        case (.bool, _): Bool.self
        case (.number, false): UInt64.self
        case (.number, true): [Position].self
        case (.signedNumber, _): Int64.self
        case (.time, _): Timestamp.self
        case (.string, false): String.self
        case (.string, true): [String].self
        case (.bytes, _): [UInt8].self
        case (.user, false): UserID.self
        case (.user, true): [UserID].self
        case (.conversation, false): ConversationKey.self
        case (.conversation, true): [ConversationKey].self
        case (.message, false): MessageReference.self
        case (.message, true): [MessageReference].self
        case (.order, _): MessageOrder.self
        case (.pairs, _): [String: String].self
        case (.group, _): nil
        }
    }
}

extension FieldValue {
    /// The value of a number in words; nil where there is none, or it cannot be read.
    fileprivate static func text(_ number: UInt32, _ source: FieldSource, isOptional: Bool) -> String? {
        if isOptional { return (try? Self._read(number, from: source))?._text }
        return (try? Self._value(number, from: source))?._text
    }
}
