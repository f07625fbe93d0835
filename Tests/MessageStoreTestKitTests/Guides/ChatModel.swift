import MessageStore
import Observation

// Docs/ChatScreen.md shows the code of this file; a test compares them.

/// The conversation list and the badge.
@MainActor @Observable
final class ListModel {
    private(set) var rows: [Conversation] = []
    private(set) var badge = 0

    /// Follows the list until the task is cancelled or the store is closed.
    func followList(of store: MessageStore) async throws {
        for try await update in store.observeConversations(limit: 100).updates(of: \.elements) {
            rows = update.rows  // `update.changes` has the insertions, deletions and moves for UIKit and AppKit.
        }
    }

    /// Follows the badge.
    func followBadge(of store: MessageStore) async throws {
        for try await totals in store.observeUnreadTotals() { badge = totals.badge }
    }
}

/// A conversation: its newest messages, live, and older ones as the user scrolls up.
@MainActor @Observable
final class ChatModel {
    private(set) var messages: [Message] = []
    private(set) var hasOlder = false
    private(set) var failure: (any Error)?
    /// The number of messages that are followed.
    private(set) var limit = 40

    private let store: MessageStore
    private let conversation: ConversationKey

    init(_ store: MessageStore, _ conversation: ConversationKey) {
        (self.store, self.conversation) = (store, conversation)
    }

    /// Follows the newest messages until the task is cancelled or the store is closed. Call it again when `limit` changes.
    func follow() async {
        do {
            for try await page in store.observeTimeline(of: conversation, limit: limit) {
                messages = page.elements
                hasOlder = page.hasOlder || page.hasGapBefore
            }
        } catch {
            failure = error
        }
    }
}

extension ChatModel {
    /// Shows 40 older messages; those that the store lacks are fetched from the history provider.
    func loadOlder() async {
        guard limit < Views.pageLimits.upperBound, let oldest = messages.first(where: { $0.serverID != nil }) else {
            return
        }
        do {
            let place = TimelinePart.before(.message(.local(oldest.id)))
            _ = try await store.history(of: conversation, place, limit: 40)
        } catch {
            failure = error  // Offline, for example. What the store has is shown all the same.
        }
        limit = min(limit + 40, Views.pageLimits.upperBound)
    }

    /// Queues a message. It is durable and shown as `sending` when this returns.
    func send(_ text: String) async throws {
        let message = MessageSendQueued(content: .text(text), clientToken: .unique())
        _ = try await store.send(message, to: conversation)
    }

    /// Marks everything as read.
    func markRead() async throws {
        try await store.record(.read(in: conversation))
    }
}

extension MessageStore {
    /// Sends what waits, now and after each commit, until the store is closed. Without an answer it tries again, at first
    /// after a second and later once a minute.
    func keepSending(by send: @Sendable (Message) async throws -> SendAnswer) async throws {
        for try await _ in observe({ $0.position }) {
            try await sendOutbox(backOff: BackOff(attempts: .max), by: send)
        }
    }
}

#if canImport(SwiftUI)
import SwiftUI

struct ChatScreen: View {
    @State var model: ChatModel

    var body: some View {
        List {
            if model.hasOlder {
                ProgressView().task(id: model.limit) { await model.loadOlder() }
            }
            ForEach(model.messages) { message in
                Text(message.text ?? "")
            }
        }
        .task(id: model.limit) { await model.follow() }
    }
}
#endif
