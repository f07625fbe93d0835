@_spi(Storage) internal import MessageStoreLog

/// A row of `members`: a member of a conversation, or a user of whom it knows something else.
struct MemberRow: ViewRow, Equatable {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let isMember = Flags(rawValue: 1)
        static let isBlocked = Flags(rawValue: 2)
    }

    /// The bytes before the nickname.
    private static let fixedSize = 15

    var flags: Flags = []
    var kind: UInt8 = 0
    var role: UInt8 = 0
    /// Who brought the member in; 0 for themselves or unknown.
    var actor: UInt32 = 0
    /// Until when the member may not write, in milliseconds; 0 where it may.
    var mutedUntil: UInt64 = 0
    var nickname = ""

    init() {}

    init?(_ row: RawSpan) {
        guard let flags = row.load(at: 0, as: UInt8.self), let kind = row.load(at: 1, as: UInt8.self),
            let role = row.load(at: 2, as: UInt8.self), let actor = row.load(at: 3, as: UInt32.self),
            let mutedUntil = row.load(at: 7, as: UInt64.self)
        else { return nil }
        self.flags = Flags(rawValue: flags)
        self.kind = kind
        self.role = role
        self.actor = actor
        self.mutedUntil = mutedUntil
        nickname = row.extracting(Self.fixedSize..<row.byteCount).string
    }

    /// The flags in a row, without the rest.
    static func flags(in row: RawSpan) -> Flags? {
        guard row.byteCount >= fixedSize else { return nil }
        return row.load(at: 0, as: UInt8.self).map { Flags(rawValue: $0) }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16 + nickname.utf8.count)
        writer.append(flags.rawValue)
        writer.append(kind)
        writer.append(role)
        writer.append(actor)
        writer.append(mutedUntil)
        writer.append(nickname)
        return writer.bytes.copied
    }
}

/// A row of `memberLists`: what is known of a conversation's members together.
struct MemberList: ViewRow, Equatable {
    private(set) var count: UInt32 = 0
    /// The sum of a hash of each member: the same for the same set, in whichever order it came together.
    private(set) var setHash: UInt64 = 0
    /// Whether this account is known not to be a member.
    var excludesAccount = false

    init() {}

    /// The list of exactly these members.
    init(_ members: Set<UInt32>) {
        count = UInt32(members.count)
        for member in members { setHash &+= Self.hash(member) }
    }

    init?(_ row: RawSpan) {
        guard let count = row.loadBigEndian(at: 0, as: UInt32.self), let hash = row.load(at: 4, as: UInt64.self),
            let flags = row.load(at: 12, as: UInt8.self)
        else { return nil }
        self.count = count
        setHash = hash
        excludesAccount = flags & 1 != 0
    }

    /// Adds a member or takes one out; false, and nothing is changed, where the count would leave its range.
    mutating func set(_ member: UInt32, isMember: Bool) -> Bool {
        guard let count = UInt32(exactly: Int(count) + (isMember ? 1 : -1)) else { return false }
        self.count = count
        setHash = isMember ? setHash &+ Self.hash(member) : setHash &- Self.hash(member)
        return true
    }

    private static func hash(_ member: UInt32) -> UInt64 { XXH64.hash(RowKey.number(member).span.bytes) }

    /// By what the exact set is found.
    var indexKeys: Set<ConversationIndexKey> { count == 0 ? [] : [.memberSet(setHash)] }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.appendBigEndian(count)
        writer.append(setHash)
        writer.append(UInt8(excludesAccount ? 1 : 0))
        return writer.bytes.copied
    }
}
