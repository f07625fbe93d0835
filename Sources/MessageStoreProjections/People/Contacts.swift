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
    /// The server's time of the event that last set whether the user is blocked; 0 where none had one.
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
        .contacts, version: 1, events: handlers.types,
        tables: contacts, byID)
    static var contacts: Table<UserNumber, ContactRow> { Table("contacts", 31) }
    static var byID: Table<ContactIDKey, NoValue> { Table("contacts", 31) }

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
    /// Changes what is known of a user, and the indexes by id.
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
