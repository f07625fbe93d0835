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
}
