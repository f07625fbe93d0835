internal import MessageStoreLMDB

/// Conversations as the list showed them, to be handed out again as long as no row changes that they were made of.
final class KeptConversations: Sendable {
    /// As many as the largest page holds; when there are more, all are let go.
    private static let maximumCount = 1024

    private struct State {
        var conversations: [ConversationNumber: KeptConversation] = [:]
        var reuseCount = 0
    }

    /// The totals of folders and other conditions.
    let totals = KeptTotals()
    private let state = Locked(State())

    /// How often a conversation was handed out again.
    var reuseCount: Int { state.withLock { $0.reuseCount } }

    /// The conversation as it was assembled last; nil where that is not what the rows of a history are now.
    func conversation(_ number: ConversationNumber, in history: borrowing RowHistory) -> KeptConversation? {
        state.withLock { state in
            guard let kept = state.conversations[number], history.isUnchanged(kept.places, since: kept.fold) else {
                return nil
            }
            state.reuseCount += 1
            return kept
        }
    }

    /// Keeps a conversation, unless one is kept that was read later.
    func keep(_ kept: KeptConversation, _ number: ConversationNumber) {
        state.withLock { state in
            guard state.conversations[number].map({ $0.fold <= kept.fold }) ?? true else { return }
            if state.conversations.count >= Self.maximumCount, state.conversations[number] == nil {
                state.conversations.removeAll(keepingCapacity: true)
            }
            state.conversations[number] = kept
        }
    }
}

/// A conversation as it was assembled; a reference, since a conversation has many fields to copy.
final class KeptConversation: Sendable {
    let conversation: Conversation
    /// Where changes of the rows are noted that it was made of.
    fileprivate let places: [UInt16]
    /// The last fold before it was read.
    fileprivate let fold: UInt64

    init(conversation: Conversation, places: [UInt16] = [], fold: UInt64 = 0) {
        self.conversation = conversation
        self.places = places
        self.fold = fold
    }
}
