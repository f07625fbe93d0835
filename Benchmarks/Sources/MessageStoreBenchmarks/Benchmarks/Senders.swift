internal import MessageStore

/// Peers that each take one message at a time, durable on return.
final class Senders {
    private let store: MessageStore
    private let raw: RawPeer
    private let sqlite: SQLitePeer
    private let key: ConversationKey
    private let text = "好的，明天早上八点在学校门口见，别忘了带书。"
    /// How many messages the store took.
    private(set) var sent = 0
    private var inserted = 0
    private var recordSize: Int?

    init(store: MessageStore, raw: RawPeer, sqlite: SQLitePeer, key: ConversationKey) {
        (self.store, self.raw, self.sqlite, self.key) = (store, raw, sqlite, key)
    }

    func sendToStore() throws {
        sent += 1
        _ = try store.send(
            MessageSendQueued(content: .text(text), clientToken: ClientToken("token-\(sent)")), to: key)
    }

    /// Appends a record as long as the store's last one was when this was called first.
    func sendToRaw() throws {
        try raw.append(bytes: try recordSize ?? lastRecordSize())
    }

    func sendToSQLite() throws {
        inserted += 1
        try sqlite.send(
            text, token: "token-\(inserted)", timeMs: 1_800_000_000_000 + Int64(inserted), to: key.id)
    }

    private func lastRecordSize() throws -> Int {
        guard let last = try store.events(order: .descending, limit: 1).first else { throw Failure("the log is empty") }
        recordSize = last.byteCount
        return last.byteCount
    }
}
