@_spi(Storage) internal import MessageStoreLog

/// The projection of membership. A repeated report changes nothing (B25).
struct Members: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .members, version: 3, events: handlers.types, reads: [.settings], tables: members, lists)
    static var members: Table<MemberKey, MemberRow> { Table("members", 14, [.queried, .sealed]) }
    static var lists: Table<ConversationNumber, MemberList> { Table("memberLists", 15, .queried) }

    static let handlers = EventHandlers<Self>()
        .onList(ConversationCreated.self) { event, list, rows, changes in
            for member in event.record[ConversationCreated.members] ?? [] {
                try add(
                    UserNumber(rawValue: member), .invited, by: event.record.actorNumber, event.record, &list, &rows,
                    &changes)
            }
        }
        .onList(ConversationSnapshotReceived.self) { event, list, rows, changes in
            if let listed = event.record[ConversationSnapshotReceived.members] {
                try replaceAll(by: Set(listed.map { UserNumber(rawValue: $0) }), event.record, &list, &rows, &changes)
            }
        }
        .onList(MembersAdded.self) { event, list, rows, changes in
            let kind = event[MembersAdded.kind]
            for member in event[MembersAdded.members] {
                try add(
                    UserNumber(rawValue: member), kind, by: event.record.actorNumber, event.record, &list, &rows,
                    &changes)
            }
        }
        .onList(MembersRemoved.self) { event, list, rows, changes in
            for member in event[MembersRemoved.members] {
                try remove(UserNumber(rawValue: member), event.record, &list, &rows, &changes)
            }
        }
        .onList(SelfInvited.self) { event, list, rows, changes in
            try add(.account, .invited, by: event.record.actorNumber, event.record, &list, &rows, &changes)
        }
        .onList(SelfKicked.self) { event, list, rows, changes in
            try remove(.account, event.record, &list, &rows, &changes)
        }
        .on(.memberInfoChanged) { fold, event, rows, changes in
            let choices = changes.choices
            try fold.update(event, &rows, &changes) { row in
                for choice in choices {
                    switch choice {
                    case .nickname(_, let nickname): row.nickname = nickname
                    case .role(_, let role): row.role = role
                    default: break
                    }
                }
            }
        }
        .on(MemberMuted.self) { fold, event, rows, changes in
            let until = (event[MemberMuted.until]?.milliseconds).map { UInt64(bitPattern: $0) } ?? 0
            try fold.update(event.record, &rows, &changes) { $0.mutedUntil = until }
        }
        .on(MemberBlocked.self) { fold, event, rows, changes in
            let isBlocked = event[MemberBlocked.isBlocked]
            try fold.update(event.record, &rows, &changes) { $0.flags[.isBlocked] = isBlocked }
        }

    private struct Entry {
        let original: MemberList
        var list: MemberList
    }

    /// The lists that were touched since the last finish, decoded.
    private var open = ConversationCache<Entry>()

    /// Changes the list of the event's conversation.
    fileprivate mutating func changeList(
        _ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges,
        _ change: (inout MemberList, inout FoldRows, inout FoldChanges) throws -> Void
    ) throws {
        let slot = try slot(event.conversationNumber, rows.snapshot)
        let before = open[slot].list
        try change(&open[slot].list, &rows, &changes)
        changes.reindex(event.conversationNumber, from: before.indexKey, to: open[slot].list.indexKey)
    }

    private mutating func slot(_ conversation: ConversationNumber, _ snapshot: borrowing ViewSnapshot) throws -> Int {
        if let slot = open.slot(of: conversation) { return slot }
        let list = try snapshot.memberList(of: conversation)
        return open.insert(Entry(original: list, list: list), of: conversation)
    }

    var openConversations: Int { open.conversations.count }

    /// Writes the touched lists.
    mutating func finishBatch(_ rows: inout FoldRows) {
        for (conversation, entry) in zip(open.conversations, open.entries) where entry.list != entry.original {
            rows.set(Self.lists, conversation, entry.list == MemberList() ? nil : entry.list)
        }
        open.removeAll()
    }

    private static func add(
        _ member: UserNumber, _ kind: JoinKind, by actor: UserNumber, _ event: RecordView, _ list: inout MemberList,
        _ rows: inout FoldRows, _ changes: inout FoldChanges
    ) throws {
        if member == .account { list.excludesAccount = false }
        let isNew = try rows.updateMember(member, of: event.conversationNumber, &changes) { row in
            guard !row.flags.contains(.isMember) else { return }
            row.flags.insert(.isMember)
            row.kind = kind.rawValue
            row.actor = actor
        }
        if isNew { try set(member, isMember: true, in: &list, event) }
    }

    /// Role and mute end with membership; name and block stay.
    private static func remove(
        _ member: UserNumber, _ event: RecordView, _ list: inout MemberList, _ rows: inout FoldRows,
        _ changes: inout FoldChanges
    ) throws {
        if member == .account { list.excludesAccount = true }
        let isGone = try rows.updateMember(member, of: event.conversationNumber, &changes) { row in
            row.flags.remove(.isMember)
            row.role = 0
            row.actor = .none
            row.kind = 0
            row.mutedUntil = 0
        }
        if isGone { try set(member, isMember: false, in: &list, event) }
    }

    private static func set(_ member: UserNumber, isMember: Bool, in list: inout MemberList, _ event: RecordView) throws
    {
        guard list.set(member, isMember: isMember) else {
            throw StoreError.impossibleCount(in: lists, at: event.conversationNumber)
        }
    }

    /// The server's list wins: who is not in it is not a member (d23).
    private static func replaceAll(
        by listed: Set<UserNumber>, _ event: RecordView, _ list: inout MemberList, _ rows: inout FoldRows,
        _ changes: inout FoldChanges
    ) throws {
        for member in try rows.snapshot.memberNumbers(of: event.conversationNumber) where !listed.contains(member) {
            try remove(member, event, &list, &rows, &changes)
        }
        for member in listed.sorted() { try add(member, .invited, by: .none, event, &list, &rows, &changes) }
        list.excludesAccount = !listed.contains(.account)
    }

    /// Changes what is known of the one user that the event names.
    private func update(
        _ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges, _ body: (inout MemberRow) -> Void
    ) throws {
        let member = UserNumber(rawValue: event[MemberInfoChanged.member])
        guard member != .none else { return }
        _ = try rows.updateMember(member, of: event.conversationNumber, &changes, body)
    }
}

extension EventHandlers<Members> {
    /// With a handler that changes the list of members.
    fileprivate func onList<Payload: EventPayload>(
        _ payload: Payload.Type,
        _ handler:
            @escaping @Sendable (EventView<Payload>, inout MemberList, inout FoldRows, inout FoldChanges) throws -> Void
    ) -> Self {
        on(payload) { fold, event, rows, changes in
            try fold.changeList(event.record, &rows, &changes) { try handler(event, &$0, &$1, &$2) }
        }
    }
}

extension FoldRows {
    /// Changes what is known of a user, and whether the conversation is found by that member.
    ///
    /// - Returns: Whether the user became a member or ceased to be one.
    mutating func updateMember(
        _ member: UserNumber, of conversation: ConversationNumber, _ changes: inout FoldChanges,
        _ body: (inout MemberRow) -> Void
    ) throws -> Bool {
        let before =
            try snapshot.row(Members.members, MemberKey(conversation: conversation, user: member)) ?? MemberRow()
        var after = before
        body(&after)
        guard after != before else { return false }
        // Of whom nothing is known leaves no row.
        let key = MemberKey(conversation: conversation, user: member)
        set(Members.members, key, after == MemberRow() ? nil : after)
        let isMember = after.flags.contains(.isMember)
        guard isMember != before.flags.contains(.isMember) else { return false }
        changes.index(.member(member), conversation, isMember)
        return true
    }
}

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
    /// Until when the member may not write, in milliseconds; 0 if it may.
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

/// A row of `memberLists`: facts about a conversation's members together.
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

extension ViewSnapshot {
    borrowing func hasMember(_ user: UserNumber, in conversation: ConversationNumber) throws -> Bool {
        try row(Members.members, MemberKey(conversation: conversation, user: user))?.flags.contains(.isMember) ?? false
    }

    borrowing func memberList(of conversation: ConversationNumber) throws -> MemberList {
        try row(Members.lists, conversation) ?? MemberList()
    }

    borrowing func memberCount(of conversation: ConversationNumber) throws -> UInt32 {
        try memberList(of: conversation).count
    }

    /// The numbers of a conversation's members, in the order in which the log first named them.
    borrowing func memberNumbers(of conversation: ConversationNumber, limit: Int = .max) throws -> [UserNumber] {
        try userNumbers(of: conversation, with: .isMember, limit: limit)
    }

    /// The numbers of the users for whom `flag` is set, in the order in which the log first named them.
    borrowing func userNumbers(
        of conversation: ConversationNumber, with flag: MemberRow.Flags, limit: Int = .max
    ) throws -> [UserNumber] {
        var numbers: [UserNumber] = []
        try forEachRow(Members.members, under: conversation) { key, row in
            if row.flags.contains(flag) { numbers.append(key.user) }
            return numbers.count < limit
        }
        return numbers
    }
}

extension ProjectionID {
    /// The members of conversations.
    public static let members: ProjectionID = "Members"
}
