import MessageStore

/// Two people or a group, by ChatKit's numbers.
enum LCCKConversationType: Int, Sendable {
    case single = 0
    case group = 1

    init(_ kind: ConversationKind) { self = kind == .single ? .single : .group }
}
