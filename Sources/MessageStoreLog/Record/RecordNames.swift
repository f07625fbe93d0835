/// What the numbers in a record's envelope name.
package struct RecordNames: Sendable {
    package let conversation: ConversationKey?
    package let actor: UserID?
    package let contentType: ContentType?

    init(_ record: RecordView, _ symbols: SymbolReader) throws {
        conversation = record.conversation == 0 ? nil : try symbols.conversation(record.conversation)
        actor = record.actor == 0 ? nil : try symbols.user(record.actor)
        contentType = record.contentType == 0 ? nil : try symbols.contentType(record.contentType)
    }

    init(_ kept: KeptNames) {
        (conversation, actor) = (kept.conversation?.value, kept.actor?.value)
        contentType = kept.contentType?.value
    }
}

/// The same, held once for all records of a pass that name it.
struct KeptNames: Sendable {
    let conversation: KeptSymbol<ConversationKey>?
    let actor: KeptSymbol<UserID>?
    let contentType: KeptSymbol<ContentType>?

    /// For one record alone.
    init(_ record: RecordView, _ table: SymbolTable) throws {
        let (conversation, actor, type) = (record.conversation, record.actor, record.contentType)
        self.conversation = conversation == 0 ? nil : KeptSymbol(conversation, try table.conversation(conversation))
        self.actor = actor == 0 ? nil : KeptSymbol(actor, try table.user(actor))
        contentType = type == 0 ? nil : KeptSymbol(type, try table.contentType(type))
    }

    init(_ record: RecordView, _ table: borrowing SymbolTable, _ kept: borrowing KeptSymbols) throws {
        conversation = record.conversation == 0 ? nil : try kept.conversation(record.conversation, table)
        actor = record.actor == 0 ? nil : try kept.user(record.actor, table)
        contentType = record.contentType == 0 ? nil : try kept.contentType(record.contentType, table)
    }
}
