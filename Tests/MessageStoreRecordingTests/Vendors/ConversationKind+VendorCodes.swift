import MessageStore
@testable import MessageStoreTestSupport

extension ConversationKind {
    /// RongCloud's number: 1 private, 3 group, 4 chat room, 6 system; nil for others.
    init?(rongCloud number: Int) {
        self.init(number, [1: .single, 3: .group, 4: .chatRoom, 6: .system])
    }

    /// Spider's number: 1 single, 2 group; nil for others.
    init?(spider number: Int) {
        self.init(number, [1: .single, 2: .group])
    }

    /// ChatKit's number: 0 single, 1 group; nil for others.
    init?(chatKit number: Int) {
        self.init(number, [0: .single, 1: .group])
    }

    /// NIM's number: 0 P2P, 1 team, 2 chat room; nil for others.
    init?(nim number: Int) {
        self.init(number, [0: .single, 1: .group, 2: .chatRoom])
    }

    private init?(_ number: Int, _ kinds: [Int: ConversationKind]) {
        guard let kind = kinds[number] else { return nil }
        self = kind
    }
}
