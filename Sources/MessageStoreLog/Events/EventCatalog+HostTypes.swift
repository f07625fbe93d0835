extension EventCatalog.Entry {
    /// Checks what a host declares.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names the type and what is wrong with it.
    init(checking payload: any EventPayload.Type) throws {
        let problem: (String) -> StoreError = { problem in
            StoreError(.invalidArgument, "the event type \(payload.declaration.name) (\(payload)) \(problem)")
        }
        let declaration = payload.declaration
        guard declaration.name.description.isReverseDNS else {
            throw problem("is not named in reverse-DNS notation, such as com.example.message-starred")
        }
        guard declaration.type.isHosts else {
            throw problem("has the number \(declaration.type); 0x8000 to 0xFFFF are hosts'")
        }
        guard declaration.version > 0 else { throw problem("has the version 0; the first is 1") }
        let fields = try payload.listedFields()
        if let found = Self.problem(of: fields) { throw problem(found) }
        self.init(payload, fields: fields)
    }

    private static func problem(of fields: [FieldDescription]) -> String? {
        for field in fields {
            if let problem = problem(of: field) { return "has the field \(field.name), which \(problem)" }
        }
        for (index, field) in fields.enumerated() {
            for other in fields[..<index] {
                if field.name == other.name { return "has two fields with the name \(field.name)" }
                if field.part == other.part, field.place == other.place,
                    field.place != nil || !Set(field.numbers).isDisjoint(with: other.numbers)
                {
                    return "has the fields \(other.name) and \(field.name) in one place"
                }
            }
        }
        return nil
    }

    private static func problem(of field: FieldDescription) -> String? {
        if field.name.isEmpty { return "has no name" }
        if let number = field.number {
            let first: UInt32 = field.part == .content ? 1 : 3
            let last = FieldNumbers.highest - (field.type.takesTwoNumbers ? 1 : 0)
            guard (first...last).contains(number) else {
                return "has the number \(number); \(first) to \(last) are allowed"
            }
        }
        let canBeEmpty = field.type.isList || field.type.kind == .pairs || field.type.kind == .bool
        if field.type.isOptional, canBeEmpty {
            return "is optional: without a value it could not be told from an empty or false one"
        }
        if field.part == .content, !field.type.isOptional, !canBeEmpty {
            return "is content and not optional: redaction removes it"
        }
        return nil
    }
}

extension EventPayload {
    /// The fields that are read, which must be those that are written.
    fileprivate static func listedFields() throws -> [FieldDescription] {
        var read = FieldLister()
        var written = FieldLister()
        do {
            try Self(from: &read).encode(to: &written)
        } catch {
            let last = read.fields.last.map { "after the field \($0.name)" } ?? "before any field"
            throw StoreError(
                .invalidArgument,
                "the event type \(declaration.name) (\(Self.self)) does not read or write all of its fields: it throws "
                    + "\(last), at a value that stands for none; refuse values in validate()")
        }
        if let field = Set(read.fields).symmetricDifference(written.fields).min(by: { $0.name < $1.name }) {
            throw StoreError(
                .invalidArgument,
                "the event type \(declaration.name) (\(Self.self)) has the field \(field.name), which is not both "
                    + "read by init(from:) and written by encode(to:)")
        }
        return read.fields
    }
}
