/// A host's declaration of a type of events in one version, as the log holds it for programs without the host's code.
public struct EventDescription: Hashable, Sendable {
    /// The type's number in the log.
    public let type: EventType
    /// The type's name.
    public let name: String
    /// The version of the fields.
    public let version: UInt8
    /// What events of the type belong to.
    public let scope: EventScope
    /// The fields: those of the envelope, the fields and the content, each in the order of their numbers.
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
