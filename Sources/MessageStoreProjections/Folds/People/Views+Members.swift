/// A member of a conversation.
public struct Member: Sendable, Hashable {
    /// Who.
    public let id: UserID
    /// The name within this conversation, if any.
    public let nickname: String?
    /// The number of the role on the server.
    public let role: UInt8
    /// How the member joined.
    public let joinKind: JoinKind
    /// Who invited the member, if anyone.
    public let invitedBy: UserID?
    /// Until when, by the server's clock, the member may not write; `Timestamp.latest` means permanently.
    public let mutedUntil: Timestamp?

    /// Creates a member, for previews and tests.
    public init(
        id: UserID, nickname: String? = nil, role: UInt8 = 0, joinKind: JoinKind = .joined, invitedBy: UserID? = nil,
        mutedUntil: Timestamp? = nil
    ) {
        self.id = id
        self.nickname = nickname
        self.role = role
        self.joinKind = joinKind
        self.invitedBy = invitedBy
        self.mutedUntil = mutedUntil
    }
}

extension Views {
    /// The members of a conversation, in the order in which they first appear in the log.
    ///
    /// Costs a step for each user that is or was a member. Live: `observe { try $0.members(in: conversation).elements }`.
    ///
    /// - Parameters:
    ///   - conversation: Whose members.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of members, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func members(
        in conversation: ConversationKey, after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Member> {
        try members(in: conversation, after: cursor, limit: limit) { _ in true }
    }

    /// The same of the members that `isWanted` answers true to.
    package borrowing func members(
        in conversation: ConversationKey, after cursor: PageCursor?, limit: Int, where isWanted: (UserID) throws -> Bool
    ) throws -> Page<Member> {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return Page([]) }
        let start: MemberKey? = try cursor?.key(.member)
        if let start, start.conversation != number { throw PageCursor.mismatch }
        var (members, last): ([Member], MemberKey?) = ([], nil)
        var next: PageCursor?
        try snapshot.forEachRow(Members.members, from: start, under: number) { key, row in
            guard row.flags.contains(.isMember), key != start else { return true }
            let user = try snapshot.symbols.user(key.user)
            guard try isWanted(user) else { return true }
            if members.count == limit {
                next = last.map { PageCursor(.member, $0) }
                return false
            }
            members.append(try member(user, row))
            last = key
            return true
        }
        return Page(members, next: next)
    }

    private borrowing func member(_ user: UserID, _ row: MemberRow) throws -> Member {
        Member(
            id: user,
            nickname: row.nickname.isEmpty ? nil : row.nickname,
            role: row.role,
            joinKind: JoinKind(rawValue: row.kind),
            invitedBy: row.actor == .none ? nil : try snapshot.symbols.user(row.actor),
            mutedUntil: row.mutedUntil == 0 ? nil : Timestamp(milliseconds: Int64(clamping: row.mutedUntil)))
    }

    /// Whether a user is a member, as far as this store knows. Costs one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func isMember(_ user: UserID, in conversation: ConversationKey) throws -> Bool {
        guard let conversation = try snapshot.symbols.number(of: conversation),
            let user = try snapshot.symbols.number(of: user)
        else { return false }
        return try snapshot.hasMember(user, in: conversation)
    }

    /// Whether a user may not join a conversation; the user need not be a member. Costs one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func isBlocked(_ user: UserID, in conversation: ConversationKey) throws -> Bool {
        guard let conversation = try snapshot.symbols.number(of: conversation),
            let user = try snapshot.symbols.number(of: user)
        else { return false }
        return try snapshot.row(Members.members, MemberKey(conversation: conversation, user: user))?.flags.contains(
            .isBlocked) ?? false
    }

    /// The users who may not join a conversation, in the order in which they first appear in the log.
    ///
    /// Costs a step for each user about whom the conversation has a row.
    ///
    /// - Throws: `StoreError`.
    public borrowing func blockedMembers(in conversation: ConversationKey) throws -> [UserID] {
        guard let number = try snapshot.symbols.number(of: conversation) else { return [] }
        return try snapshot.userNumbers(of: number, with: .isBlocked).map { try snapshot.symbols.user($0) }
    }

    /// Whether the server can be expected to accept a message of this account. Costs three point reads.
    ///
    /// False if the account is muted permanently or blocked, and if it is known not to be a member of a conversation
    /// that has members: it left or was removed, or is missing from a snapshot's list. Member lists that arrived in
    /// parts do not show who is missing. A mute that ends is ignored: see ``Member/mutedUntil``.
    ///
    /// - Throws: `StoreError`.
    public borrowing func canSend(in conversation: ConversationKey) throws -> Bool {
        guard let number = try snapshot.symbols.number(of: conversation) else { return true }
        let account =
            try snapshot.row(Members.members, MemberKey(conversation: number, user: UserNumber.account)) ?? MemberRow()
        let isSilenced = account.mutedUntil >= UInt64(Timestamp.latest.milliseconds)
        guard !isSilenced, !account.flags.contains(.isBlocked) else { return false }
        let hasMembers = conversation.kind != .chatRoom && conversation.kind != .single
        return try !hasMembers || !snapshot.memberList(of: number).excludesAccount
    }
}
