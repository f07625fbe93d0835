@_spi(Storage) internal import MessageStoreLog

extension RecordView {
    /// The kind that an event about a conversation's fields gives it; nil where the kind stays as it was.
    ///
    /// A snapshot is the full account of a conversation: one without a kind gives it back the key's.
    func toldKind(_ symbols: SymbolTable) throws -> ConversationKind? {
        if let kind = self[ConversationFields.kind] { return kind }
        guard type == .conversationSnapshotReceived else { return nil }
        return try symbols.conversation(conversationNumber).kind
    }
}
