/// The key of a row of `members`.
struct MemberKey: ViewKey {
    var conversation = ConversationNumber.none
    var user = UserNumber.none

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("user", &user, .user)
    }
}

/// A row of `members`: a member of a conversation, or a user of whom it knows something else.
struct MemberRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["isMember", "isBlocked"]
        static let isMember = Flags(rawValue: 1)
        static let isBlocked = Flags(rawValue: 2)
    }

    var flags: Flags = []
    var kind: UInt8 = 0
    var role: UInt8 = 0
    /// Who added the member; 0 for themselves or unknown.
    var actor = UserNumber.none
    /// Until when the member may not write, in milliseconds; 0 where it may.
    var mutedUntil: UInt64 = 0
    var nickname = ""

    init() {}

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("flags", &flags)
        parts.part("kind", &kind)
        parts.part("role", &role)
        parts.part("actor", &actor, .user)
        parts.part("mutedUntil", &mutedUntil, .time)
        parts.string("nickname", &nickname)
    }
}

/// A row of `memberLists`: what is known of a conversation's members together.
struct MemberList: ViewRow {
    private(set) var count: UInt32 = 0
    /// The sum of a hash of each member: the same for the same set, in whichever order it came together.
    private(set) var setHash: UInt64 = 0
    /// Whether this account is known not to be a member.
    var excludesAccount = false

    init() {}

    /// The list of exactly these members.
    init(_ members: Set<UserNumber>) {
        count = UInt32(members.count)
        for member in members { setHash &+= Self.hash(member) }
    }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.bigEndian("count", &count, .plain)
        parts.part("setHash", &setHash)
        parts.part("excludesAccount", &excludesAccount)
    }

    /// Adds a member or takes one out; false, and nothing is changed, where the count would leave its range.
    mutating func set(_ member: UserNumber, isMember: Bool) -> Bool {
        guard let count = UInt32(exactly: Int(count) + (isMember ? 1 : -1)) else { return false }
        self.count = count
        setHash = isMember ? setHash &+ Self.hash(member) : setHash &- Self.hash(member)
        return true
    }

    private static func hash(_ member: UserNumber) -> UInt64 { member.withBytes { XXH64.hash($0) } }

    /// By what the exact set is found; nil for the empty one.
    var indexKey: ConversationIndexKey? { count == 0 ? nil : .memberSet(setHash) }
}
