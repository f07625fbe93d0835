extension EventCatalog.Entry {
    /// Checks what a host declares.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names the type and what is wrong with it.
    convenience init(checking payload: any EventPayload.Type) throws {
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
        let isOfAccount = declaration.scope == .account
        let isOfConversation = declaration.scope == .conversation || declaration.scope == .chatRoom
        guard !(payload is any AccountPayload.Type && !isOfAccount),
            !(payload is any ConversationPayload.Type && !isOfConversation)
        else { throw problem("declares the scope \(declaration.scope), against the protocol that it conforms to") }
        let fields = try payload.listedFields()
        if let found = FieldDescription.problem(of: fields, firstNumber: 3) { throw problem(found) }
        self.init(payload, fields: fields)
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
