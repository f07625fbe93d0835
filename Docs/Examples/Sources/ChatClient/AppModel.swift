import MessageStore
import MessageStoreObservation
import Observation

/// What an app's root view shows: the list and the badge of the account that is signed in, and the conversation that is open.
@MainActor @Observable
final class AppModel {
    /// The number of lists that were shown.
    private(set) var changes = 0
    private(set) var chat: LiveTimeline?
    @ObservationIgnored private(set) lazy var list = LiveValue<Page<Conversation>> { [weak self] _ in self?.changes += 1
    }
    let badge = LiveValue<UnreadTotals>()

    var rows: [String] {
        list.value?.elements.map { "\($0.displayName): \($0.lastMessage?.text ?? "")" } ?? []
    }

    /// Shows an account's store in place of the one before, whose values are gone at once.
    func signIn(_ store: MessageStore) {
        chat = nil
        list.follow(store.observeConversations())
        badge.follow(store.observeUnreadTotals())
    }

    func open(_ conversation: ConversationKey, in store: MessageStore) {
        chat = LiveTimeline(of: conversation, in: store)
    }

    /// Waits until the badge is so much and the first row reads so, as a view would be drawn again.
    func waitFor(badge: Int, first row: String) async {
        while true {
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            let isShown = withObservationTracking {
                self.badge.value?.badge == badge && rows.first == row
            } onChange: {
                change.yield()
            }
            if isShown { return }
            for await _ in changes { break }
        }
    }
}
