internal import MessageStoreLog

/// Within how many milliseconds a message without a token may repeat another (d12); nil where none is looked for
/// (D21, D23).
package struct RepeatWindows: Sendable {
    private let conversations: Int64?
    private let chatRooms: Int64?

    package init(conversations: Int64? = nil, chatRooms: Int64? = nil) {
        self.conversations = conversations
        self.chatRooms = chatRooms
    }

    var isOn: Bool { conversations != nil || chatRooms != nil }

    func window(for kind: ConversationKind) -> Int64? {
        kind == .chatRoom ? chatRooms : conversations
    }
}
