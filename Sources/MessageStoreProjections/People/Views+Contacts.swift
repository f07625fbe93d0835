/// Somebody in this account's list of contacts.
public struct Contact: Sendable, Hashable, Identifiable {
    /// The user.
    public let id: UserID
    /// The name that this account gave the user, if any.
    public let remark: String?
    /// Free attributes, as the server wrote them.
    public let attributes: [UInt8]
    /// Whether the account blocked the user.
    public let isBlocked: Bool

    /// Creates a contact, for previews and tests.
    public init(id: UserID, remark: String? = nil, attributes: [UInt8] = [], isBlocked: Bool = false) {
        self.id = id
        self.remark = remark
        self.attributes = attributes
        self.isBlocked = isBlocked
    }
}

extension Views {
    /// A contact of this account; nil for a user who is none. Costs one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func contact(_ user: UserID) throws -> Contact? {
        guard let number = try snapshot.symbols.number(of: user), let row = try snapshot.row(Contacts.contacts, number),
            row.flags[.isContact]
        else { return nil }
        return Contact(
            id: user, remark: row.remark.shown, attributes: row.attributes ?? [], isBlocked: row.flags[.isBlocked])
    }

    /// The contacts of this account, in the order of their ids' bytes.
    ///
    /// Costs a step and a point read for each that is returned. Live: `observe { try $0.contacts().elements }`.
    ///
    /// - Parameters:
    ///   - user: The last one of the page before, which need not be a contact any more; nil for the first page.
    ///   - limit: The maximum number of contacts, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func contacts(after user: UserID? = nil, limit: Int = 20) throws -> Page<Contact, UserID> {
        try Self.check(limit: limit)
        var contacts: [Contact] = []
        for id in try snapshot.users(.contacts, after: user, limit: limit + 1) {
            if let contact = try contact(id) { contacts.append(contact) }
        }
        return Page(contacts, limit: limit, next: \.id)
    }

    /// Whether this account blocked a user. Costs one point read.
    ///
    /// - Throws: `StoreError`.
    public borrowing func isBlocked(_ user: UserID) throws -> Bool {
        guard let number = try snapshot.symbols.number(of: user) else { return false }
        return try snapshot.row(Contacts.contacts, number)?.flags[.isBlocked] ?? false
    }

    /// The users whom this account blocked, contacts or not, in the order of their ids' bytes.
    ///
    /// Costs a step for each that is returned.
    ///
    /// - Parameters:
    ///   - user: The last one of the page before, who need not be blocked any more; nil for the first page.
    ///   - limit: The maximum number of users, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func blockedUsers(after user: UserID? = nil, limit: Int = 20) throws -> Page<UserID, UserID> {
        try Self.check(limit: limit)
        return Page(try snapshot.users(.blocked, after: user, limit: limit + 1), limit: limit, next: { $0 })
    }
}
