/// A host's declaration of a type of events in one version, as the log holds it for programs without the host's code.
public struct EventDescription: Hashable, Sendable {
    /// The type's number in the log.
    public let type: EventType
    /// The type's name.
    public let name: String
    /// The version of the fields.
    public let version: UInt8
    /// The scope that events of the type belong to.
    public let scope: EventScope
    /// The fields of the envelope, the fields and the content, each in the order of their numbers.
    public let fields: [FieldDescription]

    init(type: EventType, name: String, version: UInt8, scope: EventScope, fields: [FieldDescription]) {
        self.type = type
        self.name = name
        self.version = version
        self.scope = scope
        self.fields = fields.ordered {
            ($0.part.order, $0.number ?? 0, $0.name) < ($1.part.order, $1.number ?? 0, $1.name)
        }
    }

    init(_ entry: EventCatalog.Entry) {
        let declaration = entry.declaration
        self.init(
            type: declaration.type, name: declaration.name.description, version: declaration.version,
            scope: declaration.scope, fields: entry.fields)
    }

    /// Whether the two have one name and different numbers, or one number and different names.
    func isAtOdds(with other: EventDescription) -> Bool { (type == other.type) != (name == other.name) }

    /// With the fields of a stored description of the same version that this one lacks: another host's newer code, or
    /// the one before, knew them.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where a field has another type there.
    func merging(_ stored: EventDescription) throws -> EventDescription {
        var missing: [FieldDescription] = []
        for field in stored.fields {
            guard let own = fields.first(where: { $0.isSamePlace(as: field) }) else {
                missing.append(field)
                continue
            }
            guard own.type.kind == field.type.kind, own.type.isList == field.type.isList else {
                throw StoreError(
                    .invalidArgument,
                    "\(name).\(own.name) is a \(own.type) and was a \(field.type) in version \(version), which has "
                        + "been recorded: raise the version, or give the field another number")
            }
        }
        return EventDescription(type: type, name: name, version: version, scope: scope, fields: fields + missing)
    }
}

extension FieldDescription {
    fileprivate func isSamePlace(as other: FieldDescription) -> Bool {
        part == other.part && number == other.number && place == other.place
    }
}

extension FieldDescription.Part {
    fileprivate var order: Int {
        switch self {
        case .envelope: 0
        case .fields: 1
        case .content: 2
        }
    }
}

extension EventDescription {
    /// Type and version: the number under which the description is in the log.
    package var number: UInt32 { UInt32(type.rawValue) << 8 | UInt32(version) }

    /// The description in the form of the log.
    package var bytes: [UInt8] {
        var writer = FieldWriter()
        writer.field(1, name)
        writer.field(2, UInt64(scope.code))
        for field in fields { writer.field(3, field.bytes) }
        return writer.bytes
    }

    /// Reads what ``bytes`` wrote; a field of a kind that only a newer version has is left out.
    package init?(number: UInt32, bytes: [UInt8]) {
        let reader = FieldReader(bytes.span.bytes)
        guard !reader.isBroken, let name = reader.firstString(1) else { return nil }
        var fields: [FieldDescription] = []
        var all = reader
        while let field = all.next() {
            guard field.id == 3 else { continue }
            if let description = FieldDescription(FieldReader(field.bytes)) { fields.append(description) }
        }
        self.init(
            type: EventType(rawValue: UInt16(truncatingIfNeeded: number >> 8)), name: name,
            version: UInt8(truncatingIfNeeded: number), scope: EventScope(code: reader.firstNumber(2) ?? 0),
            fields: fields)
    }
}

extension EventScope {
    fileprivate static let codes: [EventScope] = [.any, .conversation, .chatRoom, .account]

    fileprivate var code: Int { Self.codes.firstIndex(of: self) ?? 0 }

    fileprivate init(code: UInt64) {
        self = code < UInt64(Self.codes.count) ? Self.codes[Int(code)] : .any
    }
}

extension EventDescription {
    /// The fields of an event of this type and version in words, as ``EventPayload/fieldTexts`` gives a typed event's.
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
    /// The value of the field in words, from fields that name users and conversations in full; nil if there is none, or
    /// it cannot be read.
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
    /// The value of a number in words; nil if there is none, or it cannot be read.
    fileprivate static func text(_ number: UInt32, _ source: FieldSource, isOptional: Bool) -> String? {
        if isOptional { return (try? Self._read(number, from: source))?._text }
        return (try? Self._value(number, from: source))?._text
    }
}
