import MessageStore

extension NIMKit {
    func message(_ local: LocalMessageID) throws -> Message? { try store.read { try $0.message(local) } }

    func newest(in session: NIMSession) throws -> Message? {
        try store.read { try $0.timeline(of: session.key, limit: 1).elements.last }
    }

    func unread(in session: NIMSession) throws -> Int {
        try store.read { try $0.unread(of: session.key).messages }
    }

    func record(_ event: Event) throws { try store.record(event) }
}
