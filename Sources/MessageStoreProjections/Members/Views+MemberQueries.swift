@_spi(Storage) public import MessageStoreLog

/// A member of a conversation.
public struct Member: Sendable, Hashable {
    /// Who.
    public let id: UserID
    /// The name within this conversation, if any.
    public let nickname: String?
    /// The service's number of the role.
    public let role: UInt8
    /// How the member came in.
    public let joinKind: JoinKind
    /// Who brought the member in, if somebody did.
    public let invitedBy: UserID?
    /// Until when, by the server's clock, the member may not write; `Timestamp.latest` is for good.
    public let mutedUntil: Timestamp?

    /// Puts a member together, for previews and tests.
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
    /// The members of a conversation, in the order in which this store first heard of them.
    ///
    /// Costs a step for each user that is or was a member.
    ///
    /// - Throws: `StoreError`.
    public borrowing func members(of conversation: ConversationKey) throws -> [Member] {
        guard let number = try symbols.existingNumber(of: conversation) else { return [] }
        return try memberNumbers(of: number).compactMap { member in
            guard let row = try self.member(member, of: number) else { return nil }
            return Member(
                id: try symbols.user(member),
                nickname: row.nickname.isEmpty ? nil : row.nickname,
                role: row.role,
                joinKind: JoinKind(rawValue: row.kind),
                invitedBy: row.actor == 0 ? nil : try symbols.user(row.actor),
                mutedUntil: row.mutedUntil == 0 ? nil : Timestamp(milliseconds: Int64(clamping: row.mutedUntil)))
        }
    }

    /// Whether a user is a member, as far as this store knows; one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func isMember(_ user: UserID, of conversation: ConversationKey) throws -> Bool {
        guard let conversation = try symbols.existingNumber(of: conversation),
            let user = try symbols.existingNumber(of: user)
        else { return false }
        return try isMember(user, of: conversation)
    }

    /// Whether a user may not enter a conversation; the user need not be a member. One point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func isBlocked(_ user: UserID, in conversation: ConversationKey) throws -> Bool {
        guard let conversation = try symbols.existingNumber(of: conversation),
            let user = try symbols.existingNumber(of: user)
        else { return false }
        return try member(user, of: conversation)?.flags.contains(.isBlocked) ?? false
    }

    /// The users who may not enter a conversation, in the order in which this store first heard of them.
    ///
    /// Costs a step for each user of whom the conversation knows something.
    ///
    /// - Throws: `StoreError`.
    public borrowing func blockedUsers(of conversation: ConversationKey) throws -> [UserID] {
        guard let number = try symbols.existingNumber(of: conversation) else { return [] }
        return try userNumbers(of: number, with: .isBlocked).map { try symbols.user($0) }
    }

    /// Whether the server can be expected to take a message of this account; two point reads.
    ///
    /// False where the account is muted for good or blocked, and where it is known not to be a member of a
    /// conversation that has members: it left or was removed, or a snapshot's list came without it. Member lists that
    /// came in parts say nothing of who is missing. A mute that ends is not looked at: see ``Member/mutedUntil``.
    ///
    /// - Throws: `StoreError`.
    public borrowing func canSend(in conversation: ConversationKey) throws -> Bool {
        guard let number = try symbols.existingNumber(of: conversation) else { return true }
        let account = try member(Members.account, of: number) ?? MemberRow()
        let isSilenced = account.mutedUntil >= UInt64(Timestamp.latest.milliseconds)
        guard !isSilenced, !account.flags.contains(.isBlocked) else { return false }
        let hasMembers = conversation.kind != .single && conversation.kind != .chatRoom
        return try !hasMembers || !memberList(of: number).excludesAccount
    }
}
