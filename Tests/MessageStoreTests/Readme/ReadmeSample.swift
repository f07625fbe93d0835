import Foundation
import MessageStore

/// The README's first sample, as it stands there, in an `async` function.
func readmeSample(directory: String) async throws -> [String] {
    // sample begins
    let store = try await MessageStore.open(directory, account: "alice")
    let friends = ConversationKey.group("friends")
    let start = Timestamp(milliseconds: 1_700_000_000_000)

    // A package that the server kept while we were offline: recorded whole or not at all, durable on return.
    try await store.ingest(
        OfflinePackage(
            index: 0,
            events: [
                .received("m1", from: "bob", in: friends, at: start, content: .text("晚上一起吃饭吗？"), origin: .offline)
            ],
            hasMore: false))

    // Send: durable and shown before any network is touched.
    let message = try await store.enqueue(MessageSendQueued(content: .text("好的"), clientToken: "token-1"), to: friends)
    try await store.record(.sent(message, as: "m2", in: friends, at: Timestamp(start.date + 60)))

    // Every query of one read sees the same position of the log.
    let lines = try await store.read { views in
        try views.conversations().conversations.map { conversation in
            "\(conversation.displayName): \(conversation.unread.messages) unread, "
                + "last: \(conversation.lastMessage?.text ?? "")"
        }
    }
    try await store.close()
    // sample ends
    return lines
}
