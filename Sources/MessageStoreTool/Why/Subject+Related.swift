extension Subject {
    /// Notes to show first: whether the store knows the conversation.
    func notes(in store: MessageStore, _ names: Names?) throws -> [String] {
        guard let conversation, try store.read({ try $0.conversation(conversation) == nil }) else { return [] }
        let like = try store.read { try $0.knownConversation(like: conversation) }.map {
            "; it has \(names.label(of: $0))"
        }
        return [
            "The store has events about \(names.label(of: conversation)) and does not know such a conversation\(like ?? "")."
        ]
    }

    /// Since when a conversation is out of date; nothing where it is not, or for other subjects.
    func staleness(_ facts: [Fact], in store: MessageStore, upTo last: Position) throws -> [String] {
        guard case .conversation(let key) = self, facts.contains(Fact("out of date", true)) else { return [] }
        let types: Set<EventType> = [
            .membersAdded, .membersRemoved, .conversationInvalidated, .conversationSnapshotReceived,
        ]
        let filter = EventFilter(types: types, conversation: key)
        var first: RecordedEvent?
        try store.forEachEvent(to: last, order: .descending, where: filter) { event in
            guard event.event.type != .conversationSnapshotReceived else { return false }
            first = event
            return true
        }
        guard let first else { return [] }
        return [
            "It is out of date since \(first.event.payload.typeName) at \(first.position): what tells of single members, or "
                + "that something is new, may not be all; a ConversationSnapshotReceived has everything."
        ]
    }

    /// The last events that name the member, and are none of those that changed it.
    func eventsWithoutEffect(
        in store: MessageStore, from first: Position, to last: Position, except effective: Set<Position>, limit: Int
    ) throws -> [RecordedEvent] {
        guard first <= last else { return [] }
        guard case .member(let user, _) = self else { return try lostChoices(in: store, from: first, to: last, limit) }
        var found: [RecordedEvent] = []
        for filter in filters {
            try store.forEachEvent(from: first, to: last, order: .descending, where: filter) { recorded in
                if recorded.event.namedMembers(store.account)?.contains(user) == true,
                    !effective.contains(recorded.position)
                {
                    found.append(recorded)
                }
                return found.count < limit
            }
        }
        return found.reversed()
    }

    /// The last events that lost against another by their times.
    private func lostChoices(
        in store: MessageStore, from first: Position, to last: Position, _ limit: Int
    ) throws -> [RecordedEvent] {
        let wanted: Set<EventType>
        var names: MessageNames?
        switch self {
        case .unread: wanted = [.conversationMuted, .conversationMarkedUnread]
        case .conversation:
            wanted = Set(EventCatalog.conversationFlags.map { $0.declaration.type })
                .union([.conversationMuted, .conversationTagged, .conversationDraftChanged])
        case .message(let message): (wanted, names) = ([.messageModified], message)
        default: return []
        }
        let losses = try MergedChoices.losses(in: store, to: last, of: conversation)
        let lost = losses.values.map(\.loser.event).filter { event in
            event.position >= first && wanted.contains(event.event.type)
                && names?.isNamed(by: event, HostEvents([])) != false
        }
        return lost.ordered { $0.position < $1.position }.suffix(limit)
    }

    /// The receipt up to a place that gave an own message the status that the facts say; nil if none did.
    func marker(_ facts: [Fact], in store: MessageStore, upTo last: Position) throws -> Receipts.Receipt? {
        guard case .message(let names) = self else { return nil }
        let status = [MessageStatus.read, .delivered].first { facts.contains(Fact("status", String(describing: $0))) }
        return try status.flatMap { try Receipts(of: names, in: store, upTo: last).marker(of: $0) }
    }

    /// The rule's words for the receipt up to a place that gave a message its status.
    func markerWords(_ facts: [Fact], in store: MessageStore, upTo last: Position, _ names: Names?) throws -> [String] {
        guard let marker = try marker(facts, in: store, upTo: last) else { return [] }
        return ["It is \(marker.isRead ? "read" : "delivered") by \(marker.words(names) ?? "")."]
    }
}

extension Views {
    /// A conversation that is known and whose id is equal without case; nil where there is none.
    borrowing func knownConversation(like key: ConversationKey) throws -> ConversationKey? {
        var known: [ConversationKey] = []
        for other in try everyConversation() where other.caselessID == key.caselessID {
            if try conversation(other) != nil { known.append(other) }
        }
        return key.likeliest(of: known)
    }
}
