@_spi(Storage) public import MessageStoreLog

/// What the store knows of a user, and how well.
public struct CachedProfile: Sendable, Hashable {
    /// The profile; with the id alone where nothing is known.
    public let profile: Profile
    /// Whether a provider ever answered for the user; else this is a placeholder.
    public let isPlaceholder: Bool
    /// Whether it was invalidated since; the last known value is still shown.
    public let isStale: Bool
    /// Whether the last fetch failed.
    public let hasFailed: Bool

    /// Puts a profile together, for previews and tests.
    public init(profile: Profile, isPlaceholder: Bool = false, isStale: Bool = false, hasFailed: Bool = false) {
        self.profile = profile
        self.isPlaceholder = isPlaceholder
        self.isStale = isStale
        self.hasFailed = hasFailed
    }

    /// Whether a provider should be asked.
    public var needsFetch: Bool { (isPlaceholder || isStale) && !hasFailed }

    /// The name to show: the profile's, else the id.
    public var displayName: String {
        guard let name = profile.name, !name.isEmpty else { return profile.id.rawValue }
        return name
    }
}

extension Views {
    /// What is known of a user, at once, without asking anybody; a placeholder where nothing is.
    ///
    /// - Throws: `StoreError`.
    public borrowing func profile(_ user: UserID) throws -> CachedProfile {
        let number = try symbols.existingNumber(of: user)
        let row = try number.flatMap { try profile($0) } ?? ProfileRow()
        return CachedProfile(
            profile: Profile(id: user, userID: row.userID, name: row.name, avatarURL: row.avatarURL),
            isPlaceholder: !row.flags[.isKnown], isStale: row.flags[.isStale], hasFailed: row.flags[.hasFailed])
    }

    /// The name of a user in a conversation: the nickname there, else the profile's name, else the id.
    ///
    /// Nicknames do not apply between two people.
    ///
    /// - Throws: `StoreError`.
    public borrowing func displayName(of user: UserID, in conversation: ConversationKey) throws -> String {
        guard let number = try symbols.existingNumber(of: user) else { return user.rawValue }
        let conversation = conversation.kind == .single ? nil : try symbols.existingNumber(of: conversation)
        return try displayName(ofUser: number, in: conversation) ?? user.rawValue
    }

    /// The name of a user, in a conversation that is not between two people; nil where there is only the id.
    borrowing func displayName(ofUser user: UInt32, in conversation: UInt32?) throws -> String? {
        if let conversation, let nickname = try member(user, of: conversation)?.nickname, !nickname.isEmpty {
            return nickname
        }
        return try profileName(user)
    }

    borrowing func profileName(_ user: UInt32) throws -> String? {
        guard let row = try row(.profiles, at: user) else { return nil }
        guard let name = ProfileRow.name(in: row) else {
            throw StoreError.unreadableRow(of: .profiles, at: RowKey.number(user).span.bytes)
        }
        return name.isEmpty ? nil : name
    }
}
