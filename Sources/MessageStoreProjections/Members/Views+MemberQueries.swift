public import MessageStoreLog

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
                joinKind: JoinKind(rawValue: row.kind) ?? .joined,
                invitedBy: row.actor == 0 ? nil : try symbols.user(row.actor))
        }
    }

    /// Whether a user is a member, as far as this store knows; one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func isMember(_ user: UserID, of conversation: ConversationKey) throws -> Bool {
        guard let conversation = try symbols.existingNumber(of: conversation),
            let user = try symbols.existingNumber(of: user)
        else { return false }
        return try member(user, of: conversation)?.isMember ?? false
    }
}
