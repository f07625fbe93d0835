@_spi(Storage) internal import MessageStoreLog

/// The end of a key by which messages are listed in an order: the lowest rank comes first, of those with one rank the
/// conversation and the name decide.
struct RankedMessageKey {
    let rank: UInt64
    let conversation: ConversationNumber
    let name: MessageName

    init(_ rank: UInt64, _ conversation: ConversationNumber, _ name: MessageName) {
        (self.rank, self.conversation, self.name) = (rank, conversation, name)
    }

    /// Reads the end of a key.
    init?(_ bytes: RawSpan) {
        guard bytes.byteCount > 12, let rank = bytes.loadBigEndian(at: 0, as: UInt64.self),
            let conversation = bytes.loadBigEndian(at: 8, as: UInt32.self),
            let name = MessageName(bytes.extracting(12..<bytes.byteCount))
        else { return nil }
        self.init(rank, ConversationNumber(rawValue: conversation), name)
    }

    /// The end of a key.
    var bytes: [UInt8] { RowKey.number(rank) + RowKey.number(conversation) + name.bytes }
}
