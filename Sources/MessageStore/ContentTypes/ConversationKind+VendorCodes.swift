extension ConversationKind {
    /// RongCloud's number: 1 private, 3 group, 4 chat room, 6 system; nil for others.
    public init?(rongCloud number: Int) {
        self.init(number, [1: .single, 3: .group, 4: .chatRoom, 6: .system])
    }

    /// Spider's number: 1 single, 2 group; nil for others.
    public init?(spider number: Int) {
        self.init(number, [1: .single, 2: .group])
    }

    /// ChatKit's number: 0 single, 1 group; nil for others.
    public init?(chatKit number: Int) {
        self.init(number, [0: .single, 1: .group])
    }

    /// NIM's number: 0 P2P, 1 team, 2 chat room; nil for others.
    public init?(nim number: Int) {
        self.init(number, [0: .single, 1: .group, 2: .chatRoom])
    }

    private init?(_ number: Int, _ kinds: [Int: ConversationKind]) {
        guard let kind = kinds[number] else { return nil }
        self = kind
    }
}

extension MessagePolicy {
    /// Spider's flag: 0 and 3 neither kept nor counted, 1 kept, 2 kept and counted; nil for others.
    public init?(persistFlag: Int) {
        switch persistFlag {
        case 0, 3: self = .transient
        case 1: self = .uncounted
        case 2: self = .standard
        default: return nil
        }
    }
}
