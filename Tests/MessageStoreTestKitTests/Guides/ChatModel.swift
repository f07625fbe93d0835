import MessageStore
import MessageStoreObservation
import Observation

// Docs/ChatScreen.md shows the code of this file; a test compares them.

/// The conversation list and the badge.
@MainActor @Observable
final class ListModel {
    let list: LiveValue<Page<Conversation>>
    let badge: LiveValue<Int>

    init(_ store: MessageStore) {
        list = LiveValue(store.observeConversations(limit: 100, policy: .throttled(.milliseconds(250))))
        badge = LiveValue(badgeOf: store)
    }

    var rows: [Conversation] { list.value?.elements ?? [] }
}

/// A conversation, with what its user does there.
@MainActor @Observable
final class ChatModel {
    let timeline: LiveTimeline

    init(_ store: MessageStore, _ conversation: ConversationKey) {
        timeline = LiveTimeline(of: conversation, in: store)
    }

    /// Queues a message. It is durable and shown as `sending` when this returns.
    func send(_ text: String) async throws {
        _ = try await timeline.store.send(.text(text), to: timeline.conversation)
    }

    /// Marks everything as read.
    func markRead() async throws {
        try await timeline.store.record(.read(in: timeline.conversation))
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
    @Live({ $0.observeUnreadTotals() }) private var totals

    var body: some View {
        ScrollView {
            LazyVStack {
                if model.timeline.hasOlder {
                    if model.timeline.loadError == nil {
                        ProgressView().task(id: model.timeline.messages.first?.id) { await model.timeline.loadOlder() }
                    } else {
                        Button("Try again") { Task { await model.timeline.loadOlder() } }
                    }
                }
                ForEach(model.timeline.messages) { message in
                    Text(message.text ?? "")
                }
            }
        }
        .defaultScrollAnchor(.bottom)
        .navigationTitle("\(totals?.badge ?? 0)")
    }
}
#endif
