/// Queries by names, which fold them as the search of messages folds texts. A name is found if it has every word that was
/// typed, or one that begins so, and every character.
///
/// ```swift
/// let rooms = try await store.read { try $0.conversations(named: "sw con") }   // "Swift Conference"
/// ```
extension Views {
    /// The conversations of the list whose names have the typed text, in the order of the list.
    ///
    /// Costs a pass over the list, up to the one after the last that is returned: some microseconds for each conversation.
    ///
    /// - Parameters:
    ///   - typed: The text to look for; nothing is found if it has no letter, digit or other character.
    ///   - archived: Whether conversations in the archive are looked at.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of conversations, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func conversations(
        named typed: String, archived: ArchivedConversations = .included, after cursor: PageCursor? = nil,
        limit: Int = 20
    ) throws -> Page<Conversation> {
        guard let sought = try SoughtName(typed, limit: limit) else { return Page([]) }
        return try conversations(kinds: nil, archived: archived, after: cursor, limit: limit) {
            sought.isFound(in: $0.displayName)
        }
    }

    /// The contacts and users with a known profile whose remark or name has the typed text, in the order of their ids.
    ///
    /// Costs a pass over contacts and profiles, from the user at the end of the page before on.
    ///
    /// - Parameters:
    ///   - typed: The text to look for; nothing is found if it has no letter, digit or other character.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of users, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func users(
        named typed: String, after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<UserID> {
        guard let sought = try SoughtName(typed, limit: limit) else { return Page([]) }
        var found: Set<UserID> = []
        var last = cursor
        repeat {
            let page = try contacts(after: last, limit: Self.pageSize)
            for contact in page.elements where contact.remark.map(sought.isFound) == true { found.insert(contact.id) }
            last = page.next
        } while last != nil
        last = cursor
        repeat {
            let page = try profiles(after: last, limit: Self.pageSize)
            for profile in page.elements where sought.isFound(in: profile.displayName) { found.insert(profile.info.id) }
            last = page.next
        } while last != nil
        let ordered = found.ordered { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
        return Page(ordered, limit: limit) { PageCursor($0) }
    }

    /// The members of a conversation whose names there have the typed text, in the order in which they first appear in the
    /// log.
    ///
    /// A name is the one of `displayName(of:in:)`: the account's own remark, the nickname, the profile's name, or the
    /// id. Costs a pass over the members.
    ///
    /// - Parameters:
    ///   - typed: The text to look for; nothing is found if it has no letter, digit or other character.
    ///   - conversation: Whose members.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of members, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func members(
        named typed: String, in conversation: ConversationKey, after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Member> {
        guard let sought = try SoughtName(typed, limit: limit) else { return Page([]) }
        return try members(in: conversation, after: cursor, limit: limit) {
            try sought.isFound(in: displayName(of: $0, in: conversation))
        }
    }

    private static var pageSize: Int { 1000 }
}

/// A text that is looked for in names.
private struct SoughtName {
    private let terms: [CompiledTerm]

    /// - Returns: nil if there is nothing to look for.
    init?(_ typed: String, limit: Int) throws {
        try Views.check(limit: limit)
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
