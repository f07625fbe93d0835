@_spi(Storage) internal import MessageStoreLog

/// The users of a kind among the rows of `contacts`, in the order of their ids.
enum ContactIndex: UInt8 {
    case contacts = 1
    case blocked = 2

    /// The beginning of the keys; the ids follow.
    var prefix: [UInt8] { RowKey.idIndex + [rawValue] }
}

extension ViewSnapshot {
    borrowing func contactRow(_ user: UserNumber) throws -> ContactRow? { try decoded(.contacts, at: user) }

    /// The numbers of all contacts.
    borrowing func contactNumbers() throws -> [UserNumber] {
        try indexedUsers(.contacts, ContactIndex.contacts.prefix, limit: .max).compactMap { try symbols.number(of: $0) }
    }

    /// The users that follow one in an index by id, in the order of their ids.
    borrowing func indexedUsers(
        _ table: ViewTable, _ prefix: [UInt8], after user: UserID? = nil, limit: Int
    ) throws -> [UserID] {
        let start = prefix + Array((user?.rawValue ?? "").utf8)
        var users: [UserID] = []
        var cursor = try rows(table, from: start.span.bytes)
        while users.count < limit, try cursor.next(), let id = cursor.key.removing(prefix) {
            let found = UserID(id.string)
            if found != user { users.append(found) }
        }
        return users
    }
}
