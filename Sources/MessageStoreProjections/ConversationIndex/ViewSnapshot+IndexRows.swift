@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The numbers of the conversations that may have a value, ascending.
    borrowing func conversationNumbers(indexedBy key: ConversationIndexKey) throws -> [ConversationNumber] {
        var numbers: [ConversationNumber] = []
        try forEachRow(ConversationIndex.index, under: key) { key, _ in
            numbers.append(key.conversation)
            return true
        }
        return numbers
    }
}
