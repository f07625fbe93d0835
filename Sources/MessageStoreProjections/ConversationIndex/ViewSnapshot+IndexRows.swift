@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The numbers of the conversations that may have a value, ascending.
    borrowing func conversationNumbers(indexedBy key: ConversationIndexKey) throws -> [ConversationNumber] {
        let prefix = RowKey.index(key)
        var numbers: [ConversationNumber] = []
        var cursor = try rows(.conversationIndex, from: prefix.span.bytes)
        while try cursor.next(), cursor.key.removing(prefix) != nil {
            numbers.append(try cursor.keyNumber(at: prefix.count))
        }
        return numbers
    }
}
