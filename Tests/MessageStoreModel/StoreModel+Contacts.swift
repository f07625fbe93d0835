package import MessageStore

extension StoreModel {
    /// Whether a user is blocked, and the latest server's time that told of it.
    struct BlockEntry: Sendable {
        var isBlocked = false
        var time: Timestamp?
    }

    mutating func applyContactEvent(_ body: any EventPayload) {
        switch body {
        case let body as ContactsReceived:
            if body.replacesAll { contacts = [:] }
            for contact in body.contacts { contacts[contact.id] = contact }
        case let body as ContactsRemoved:
            for id in body.ids { contacts[id] = nil }
        case let body as UsersBlocked:
            for id in body.ids {
                let known = blocks[id] ?? BlockEntry()
                if let time = body.time, let before = known.time, time < before { continue }
                blocks[id] = BlockEntry(isBlocked: body.isBlocked, time: body.time ?? known.time)
            }
        default: break
        }
    }

    /// The contacts, by their ids.
    package func contactList() -> [Contact] {
        contacts.values.sorted { $0.id < $1.id }.map { contact in
            Contact(
                id: contact.id, remark: remark(of: contact.id), attributes: contact.attributes ?? [],
                isBlocked: blocks[contact.id]?.isBlocked ?? false)
        }
    }

    /// The users whom the account blocked, by their ids.
    package func blockedUsers() -> [UserID] { blocks.filter { $0.value.isBlocked }.keys.sorted() }

    /// The users of whom a profile was told, by their ids.
    package func profileIDs() -> [UserID] { profiles.filter { $0.value.profile != nil }.keys.sorted() }

    /// The teams that were told, by their ids.
    package func teamIDs() -> [ConversationKey] {
        teams.keys.sorted { first, second in
            if first.id != second.id { return UserID(first.id) < UserID(second.id) }
            return (conversations[first]?.number ?? 0) < (conversations[second]?.number ?? 0)
        }
    }

    func remark(of user: UserID) -> String? {
        guard let remark = contacts[user]?.remark, !remark.isEmpty else { return nil }
        return remark
    }
}
