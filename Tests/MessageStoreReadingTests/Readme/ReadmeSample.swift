import MessageStore
@testable import MessageStoreTestSupport

// The README's first sample, as it stands there. Nothing but what the README imports is imported here.
func catchUp(in directory: String) async throws -> [String] {
    let store = try await MessageStore.open(directory, account: "alice")
    let friends = ConversationKey.group("friends")
    let (start, later) = (Timestamp(milliseconds: 1_700_000_000_000), Timestamp(milliseconds: 1_700_000_060_000))

    // A package that the server kept while we were offline: recorded whole or not at all, durable on return.
    let kept = Event.received("m1", from: "bob", in: friends, at: start, content: .text("晚上一起吃饭吗？"), origin: .offline)
    try await store.ingest(OfflinePackage(index: 0, events: [kept], hasMore: false))

    // Send: durable and shown before any network is touched.
    let message = try await store.send(.text("好的"), to: friends)
    try await store.record(.sent(message, as: "m2", in: friends, at: later))

    // Every query of one read sees the same position of the log.
    let lines = try await store.read { views in
        try views.conversations().elements.map { conversation in
            "\(conversation.displayName): \(conversation.unread.messages) unread, "
                + "last: \(conversation.lastMessage?.text ?? "")"
        }
    }
    try await store.close()
    return lines
}
