internal import MessageStore
internal import MessageStoreWorkload

extension RandomEvents {
    mutating func contactEvent() -> Event {
        switch random.nextIndex(5) {
        case 0, 1:
            let contacts = someUsers().map { user in
                ContactInfo(
                    id: user,
                    remark: random.chance(0.6) ? "remark \(random.nextIndex(9))" : random.chance(0.3) ? "" : nil,
                    attributes: random.chance(0.3) ? [UInt8(random.nextIndex(256))] : nil)
            }
            let isEmpty = random.chance(0.2)
            return Event(ContactsReceived(isEmpty ? [] : contacts, replacesAll: isEmpty || random.chance(0.3)))
        case 2: return Event(ContactsRemoved(someUsers()))
        default:
            return Event(UsersBlocked(someUsers(), random.chance(0.6), at: random.chance(0.5) ? time() : nil))
        }
    }
}
