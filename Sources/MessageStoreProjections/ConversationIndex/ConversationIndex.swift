@_spi(Storage) internal import MessageStoreLog

/// The projection of what conversations are found by: members, name, creator, id, tags and attributes.
struct ConversationIndex: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .conversationIndex, version: 1, events: .indexChanges, reads: [.conversationList, .members],
        tables: [.conversationIndex])

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        for change in changes.index {
            let row = RowKey.index(change.key) + RowKey.number(change.conversation)
            if change.isIndexed {
                rows.put(.conversationIndex, row.span.bytes, [UInt8]().span.bytes)
            } else {
                rows.remove(.conversationIndex, row.span.bytes)
            }
        }
    }
}
