/// Queries by names, which fold them as the search of messages folds texts. A name is found if it has every word that was
/// typed, or one that begins so, and every character.
///
/// ```swift
/// let rooms = try await store.read { try $0.conversations(named: "sw con") }   // "Swift Conference"
/// ```
extension Views {
    /// The conversations of the list whose names have the typed text, in the order of the list.
    ///
    /// Costs a pass over the list, up to the last one that is returned: some microseconds for each conversation.
    ///
    /// - Parameters:
    ///   - typed: The text to look for; nothing is found if it has no letter, digit or other character.
    ///   - archived: Whether conversations in the archive are looked at.
    ///   - limit: The maximum number of conversations, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func conversations(
        named typed: String, archived: ArchivedConversations = .included, limit: Int = 20
    ) throws -> [Conversation] {
        guard let sought = try SoughtName(typed, limit: limit) else { return [] }
        var found: [Conversation] = []
        var cursor: ConversationCursor?
        repeat {
            let page = try conversations(archived: archived, after: cursor, limit: Self.pageSize)
            for conversation in page.elements where sought.isFound(in: conversation.displayName) {
                found.append(conversation)
                if found.count == limit { return found }
            }
            cursor = page.next
        } while cursor != nil
        return found
    }

    /// The contacts and users with a known profile whose remark or name has the typed text, in the order of their ids.
    ///
    /// Costs a pass over contacts and profiles.
    ///
    /// - Parameters:
    ///   - typed: The text to look for; nothing is found if it has no letter, digit or other character.
    ///   - limit: The maximum number of users, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func users(named typed: String, limit: Int = 20) throws -> [UserID] {
        guard let sought = try SoughtName(typed, limit: limit) else { return [] }
        var found: Set<UserID> = []
        var user: UserID?
        repeat {
            let page = try contacts(after: user, limit: Self.pageSize)
            for contact in page.elements where contact.remark.map(sought.isFound) == true { found.insert(contact.id) }
            user = page.next
        } while user != nil
        repeat {
            let page = try profiles(after: user, limit: Self.pageSize)
            for profile in page.elements where sought.isFound(in: profile.displayName) { found.insert(profile.info.id) }
            user = page.next
        } while user != nil
        return Array(found.ordered { $0.rawValue < $1.rawValue }.prefix(limit))
    }

    /// The members of a conversation whose names there have the typed text, in the order of their ids.
    ///
    /// A name is the one of `displayName(of:in:)`: the account's own remark, the nickname, the profile's name, or the
    /// id. Costs a pass over the members.
    ///
    /// - Parameters:
    ///   - typed: The text to look for; nothing is found if it has no letter, digit or other character.
    ///   - conversation: Whose members.
    ///   - limit: The maximum number of members, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func members(
        named typed: String, in conversation: ConversationKey, limit: Int = 20
    ) throws -> [Member] {
        guard let sought = try SoughtName(typed, limit: limit) else { return [] }
        var found: [Member] = []
        for member in try members(in: conversation)
        where try sought.isFound(in: displayName(of: member.id, in: conversation)) {
            found.append(member)
            if found.count == limit { break }
        }
        return found
    }

    private static var pageSize: Int { 1000 }
}

/// A text that is looked for in names.
private struct SoughtName {
    private let terms: [CompiledTerm]

    /// - Returns: nil if there is nothing to look for.
    init?(_ typed: String, limit: Int) throws {
        guard (1...1000).contains(limit) else {
            throw StoreError(.invalidArgument, "a page has 1 to 1000 elements")
        }
        terms = typed.split(whereSeparator: \.isWhitespace).compactMap {
            CompiledTerm(SearchQuery.Term(String($0), isPrefix: true))
        }
        guard !terms.isEmpty else { return nil }
    }

    func isFound(in name: String) -> Bool {
        let folded = FoldedText(name)
        return terms.allSatisfy { $0.isFound(in: folded) }
    }
}
