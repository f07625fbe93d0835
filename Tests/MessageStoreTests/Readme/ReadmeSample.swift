import MessageStore

/// The README's first sample, as it stands there.
func readmeSample(directory: String) throws -> [String] {
    // sample begins
    let store = try MessageStore.open(directory, account: "alice")

    // A package that the server kept while we were offline: recorded whole or not at all, durable on return.
    try store.ingest(
        OfflinePackage(
            index: 0,
            events: [
                Event(
                    MessageReceived(
                        serverID: "m1", sender: "bob", sentTime: Timestamp(milliseconds: 1_700_000_000_000),
                        content: .text("晚上一起吃饭吗？")),
                    in: .group("friends"), origin: .offline)
            ],
            hasMore: false))

    // Send: durable and shown before any network is touched.
    let draft = MessageSendQueued(content: .text("好的"), clientToken: "token-1")
    let message = try store.send(draft, to: .group("friends"))
    try store.record(
        Event(
            MessageSent(
                message: message, serverID: "m2", sentTime: Timestamp(milliseconds: 1_700_000_060_000)),
            in: .group("friends")))

    // Every query of one read sees the same position of the log.
    let lines = try store.read { views in
        try views.conversations().conversations.map { conversation in
            "\(conversation.displayName): \(conversation.unread.messages) unread, "
                + "last: \(conversation.lastMessage?.text ?? "")"
        }
    }
    try store.close()
    // sample ends
    return lines
}
