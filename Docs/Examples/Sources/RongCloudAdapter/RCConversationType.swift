import MessageStore

/// The kinds of conversations, by IMLib's numbers.
enum RCConversationType: Int, Sendable {
    case ConversationType_PRIVATE = 1
    case ConversationType_GROUP = 3
    case ConversationType_CHATROOM = 4
    case ConversationType_SYSTEM = 6

    private static let kinds: [RCConversationType: ConversationKind] = [
        .ConversationType_PRIVATE: .single, .ConversationType_GROUP: .group, .ConversationType_CHATROOM: .chatRoom,
        .ConversationType_SYSTEM: .system,
    ]

    func key(_ targetId: String) -> ConversationKey { ConversationKey(Self.kinds[self] ?? .system, targetId) }

    init?(_ kind: ConversationKind) {
        guard let type = Self.kinds.first(where: { $0.value == kind })?.key else { return nil }
        self = type
    }
}
