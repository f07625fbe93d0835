@_spi(Storage) internal import MessageStoreLog

/// A row of `contacts`: whether this account keeps a user as a contact, and whether it blocked the user.
struct ContactRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["isContact", "isBlocked"]
        static let isContact = Flags(rawValue: 1)
        static let isBlocked = Flags(rawValue: 2)
    }

    var flags: Flags = []
    /// The server's time of the event that last set whether the user is blocked; 0 if none had one.
    var blockedTime: UInt64 = 0
    var remark: String?
    var attributes: [UInt8]?

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("flags", &flags)
        parts.part("blockedTime", &blockedTime, .time)
        describeFields(&parts)
    }

    /// The parts that a received contact has too.
    mutating func describeFields(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.field(ContactInfo.remark.number, "remark", &remark, .string)
        parts.field(ContactInfo.attributes.number, "attributes", &attributes, .bytes)
    }

    /// Takes over a contact, or that the user is none.
    mutating func setContact(_ contact: ContactRow?) {
        flags[.isContact] = contact != nil
        remark = contact?.remark
        attributes = contact?.attributes
    }
}

/// The projection of contacts and of users whom the account blocked.
struct Contacts: HandlingProjection {
    static let declaration = ProjectionDeclaration(
        .contacts, version: 1, events: handlers.types, traits: .ofAccount,
        tables: contacts, byID)
    static var contacts: Table<UserNumber, ContactRow> { Table("contacts", 31, [.noted, .sealed]) }
    static var byID: Table<ContactIDKey, NoValue> { Table(in: contacts) }

    static let handlers = EventHandlers<Self>()
        .on(ContactsReceived.self) { fold, event, rows, _ in try fold.receive(event, &rows) }
        .on(ContactsRemoved.self) { _, event, rows, _ in
            for user in event[ContactsRemoved.ids] {
                try rows.updateContact(UserNumber(rawValue: user)) { $0.setContact(nil) }
            }
        }
        .on(UsersBlocked.self) { fold, event, rows, _ in try fold.block(event, &rows) }

    private func receive(_ event: EventView<ContactsReceived>, _ rows: inout FoldRows) throws {
        var listed: Set<UserNumber> = []
        var reader = event.record.fields
        while let field = reader.next() {
            guard field.id == ContactsReceived.contacts.number else { continue }
            var contact = ContactRow()
            var number: UInt64?
            var fields = EventFields(FieldReader(field.bytes))
            while fields.next() {
                contact.describeFields(&fields)
                number = number ?? fields.number(of: ContactInfo.id.number)
            }
            guard let number else { continue }
            let user = UserNumber(rawValue: UInt32(truncatingIfNeeded: number))
            listed.insert(user)
            try rows.updateContact(user) { $0.setContact(contact) }
        }
        guard event[ContactsReceived.replacesAll] else { return }
        for user in try rows.snapshot.contactNumbers() where !listed.contains(user) {
            try rows.updateContact(user) { $0.setContact(nil) }
        }
    }

    /// Of two events with times the later holds, whatever their order in the log; one without a time holds as it comes.
    private func block(_ event: EventView<UsersBlocked>, _ rows: inout FoldRows) throws {
        let isBlocked = event[UsersBlocked.isBlocked]
        let time = UInt64(clamping: event.record.serverTime?.milliseconds ?? 0)
        for user in event[UsersBlocked.ids] {
            try rows.updateContact(UserNumber(rawValue: user)) { row in
                guard time == 0 || time >= row.blockedTime else { return }
                row.flags[.isBlocked] = isBlocked
                row.blockedTime = max(row.blockedTime, time)
            }
        }
    }
}

extension FoldRows {
    /// Changes the known facts of a user, and the indexes by id.
    fileprivate mutating func updateContact(_ user: UserNumber, _ body: (inout ContactRow) -> Void) throws {
        let before = try snapshot.row(Contacts.contacts, user) ?? ContactRow()
        var after = before
        body(&after)
        guard user != .none, after != before else { return }
        // Of whom nothing is known leaves no row.
        set(Contacts.contacts, user, after == ContactRow() ? nil : after)
        for (flag, kind) in [(ContactRow.Flags.isContact, ContactIDKey.Kind.contacts), (.isBlocked, .blocked)]
        where after.flags[flag] != before.flags[flag] {
            set(Contacts.byID, ContactIDKey(kind, try snapshot.symbols.user(user)), isThere: after.flags[flag])
        }
    }
}

/// The key by which the users of a kind are found in the order of their ids.
struct ContactIDKey: ViewKey {
    enum Kind: UInt8, RowValue {
        case contacts = 1
        case blocked = 2
    }

    private var index = IDIndex.index
    private var kind = Kind.contacts
    private var id: [UInt8] = []

    init() {}

    /// - Parameter user: nil for where the users of the kind begin.
    init(_ kind: Kind, _ user: UserID? = nil) {
        self.kind = kind
        id = Array((user?.rawValue ?? "").utf8)
    }

    var user: UserID { UserID(String(decoding: id, as: UTF8.self)) }

    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { { _ in 5 } }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("index", &index)
        parts.part("kind", &kind)
        parts.rest("id", &id, .id)
    }
}

extension ViewSnapshot {
    /// The numbers of all contacts.
    borrowing func contactNumbers() throws -> [UserNumber] {
        try users(.contacts, limit: .max).compactMap { try symbols.number(of: $0) }
    }

    /// The users of a kind that follow one, in the order of their ids.
    borrowing func users(_ kind: ContactIDKey.Kind, after user: UserID? = nil, limit: Int) throws -> [UserID] {
        var users: [UserID] = []
        try forEachRow(Contacts.byID, from: ContactIDKey(kind, user), under: ContactIDKey(kind)) { key, _ in
            if key.user != user { users.append(key.user) }
            return users.count < limit
        }
        return users
    }
}

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
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of contacts, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func contacts(after cursor: PageCursor? = nil, limit: Int = 20) throws -> Page<Contact> {
        try Self.check(limit: limit)
        var contacts: [Contact] = []
        for id in try snapshot.users(.contacts, after: cursor?.user(), limit: limit + 1) {
            if let contact = try contact(id) { contacts.append(contact) }
        }
        return Page(contacts, limit: limit) { PageCursor($0.id) }
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
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of users, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func blockedUsers(after cursor: PageCursor? = nil, limit: Int = 20) throws -> Page<UserID> {
        try Self.check(limit: limit)
        return Page(
            try snapshot.users(.blocked, after: cursor?.user(), limit: limit + 1), limit: limit, next: PageCursor.init)
    }
}

extension ProjectionID {
    /// Contacts, and users whom the account blocked.
    public static let contacts: ProjectionID = "Contacts"
}
