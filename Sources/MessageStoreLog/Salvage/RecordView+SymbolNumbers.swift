extension RecordView {
    /// Calls `body` with every number of a symbol that the record names, in its envelope and in its fields.
    func forEachSymbolNumber(_ body: (SymbolSpace, UInt32) -> Void) {
        for (space, number) in [
            (SymbolSpace.conversation, conversation), (.user, actor), (.contentType, contentType),
        ] where number != 0 {
            body(space, number)
        }
        // Hosts' events name users and conversations in full.
        guard let entry = catalogEntry else { return }
        var reader = fields
        while let field = reader.next() {
            guard
                let declared = entry.fields.first(where: { $0.part == .fields && $0.numbers.contains(field.id) })?.type
            else { continue }
            switch declared.kind {
            case .user: Self.numbers(of: field, declared) { body(.user, $0) }
            case .conversation: Self.numbers(of: field, declared) { body(.conversation, $0) }
            // Profiles, teams and contacts begin with whose they are.
            case .group where type == .profilesFetched || type == .teamInfoFetched || type == .contactsReceived:
                if let number = FieldReader(field.bytes).firstNumber(1) {
                    body(type == .teamInfoFetched ? .conversation : .user, UInt32(truncatingIfNeeded: number))
                }
            case .group
            where field.id == MessageSnapshotReceived.Fields.reactions.number && type == .messageSnapshotReceived:
                for user in FieldReader(field.bytes).firstPacked(ReactionSummary.users.number) ?? [] {
                    body(.user, user)
                }
            default: break
            }
        }
    }

    private static func numbers(of field: FieldReader.Field, _ type: FieldType, _ body: (UInt32) -> Void) {
        if type.isList { field.packed.forEach(body) } else { body(UInt32(truncatingIfNeeded: field.number)) }
    }
}
