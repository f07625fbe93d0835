import MessageStore

/// One person or a group, by the SDK's numbers.
enum SPSessionType: UInt, Sendable, CaseIterable {
    case single = 1
    case group = 2

    var kind: ConversationKind { self == .single ? .single : .group }
}
