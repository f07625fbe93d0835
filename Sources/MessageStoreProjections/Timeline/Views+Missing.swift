@_spi(Storage) package import MessageStoreLog

extension Views {
    /// Calls `body` with the conversations that have holes, and how many. Costs a step for each hole.
    package borrowing func forEachConversationWithGaps(_ body: (ConversationKey, Int) throws -> Void) throws {
        var counts: [(conversation: ConversationNumber, count: Int)] = []
        var cursor = try snapshot.rows(.timelineRanges)
        while try cursor.next() {
            let conversation = ConversationNumber(rawValue: try cursor.keyNumber(at: 0))
            if counts.last?.conversation == conversation {
                counts[counts.count - 1].count += 1
            } else {
                counts.append((conversation, 1))
            }
        }
        for entry in counts { try body(try snapshot.symbols.conversation(entry.conversation), entry.count) }
    }

    /// Calls `body` with the messages of which something was told and which never arrived. Costs a step for each.
    package borrowing func forEachMissingMessage(_ body: (ConversationKey, ServerMessageID) throws -> Void) throws {
        var cursor = try snapshot.rows(.parkedStates)
        while try cursor.next() {
            let id = cursor.key.extracting(MemoryLayout<ConversationNumber>.size..<cursor.key.byteCount).string
            try body(try snapshot.symbols.conversation(cursor.keyNumber(at: 0) as UInt32), ServerMessageID(id))
        }
    }
}
