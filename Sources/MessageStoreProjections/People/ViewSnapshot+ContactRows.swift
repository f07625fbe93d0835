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
