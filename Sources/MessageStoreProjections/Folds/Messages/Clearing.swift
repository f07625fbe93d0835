@_spi(Storage) internal import MessageStoreLog

/// A conversation's cleared messages: the ones at or below a floor, but for some.
struct Clearing {
    var floor = OrderKey.belowAll
    /// The messages below the floor that were not cleared.
    var kept: Set<LocalMessageID> = []

    /// Whether a message at a place is not cleared.
    func shows(_ message: LocalMessageID, at order: RawSpan) -> Bool {
        floor.precedes(order) || !kept.isEmpty && kept.contains(message)
    }
}

/// Up to where a conversation was cleared.
struct FloorRow: ViewRow {
    var order = OrderKey.belowAll
    /// Whether there are messages below that were not cleared.
    var keepsSome = false

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("keepsSome", &keepsSome)
        parts.order("order", &order)
    }

    var isPlausible: Bool { order.isComplete }
}

extension ViewSnapshot {
    /// The order up to which a conversation was cleared; of messages at or below it only kept ones are shown.
    borrowing func floor(of conversation: ConversationNumber) throws -> OrderKey? {
        try row(Timeline.floors, conversation)?.order
    }

    /// A conversation's cleared messages. Costs a point read, and if some were kept a seek and a step for each of
    /// these.
    borrowing func clearing(of conversation: ConversationNumber) throws -> Clearing {
        guard let row = try row(Timeline.floors, conversation) else { return Clearing() }
        var clearing = Clearing(floor: row.order)
        if row.keepsSome {
            // The floor's own row, whose key is the conversation alone, sorts before.
            let start = LocalKey(conversation: conversation, local: LocalMessageID(1))
            clearing.kept = Set(try allRows(Timeline.kept, from: start, under: conversation).map(\.key.local))
        }
        return clearing
    }

    /// Whether a message was cleared.
    borrowing func isCleared(_ record: RecordView, _ state: MessageState) throws -> Bool {
        let conversation = record.conversationNumber
        guard let floor = try row(Timeline.floors, conversation), !floor.order.precedes(record, state) else {
            return false
        }
        let key = LocalKey(conversation: conversation, local: LocalMessageID(record.position.rawValue))
        return try !floor.keepsSome || row(Timeline.kept, key) == nil
    }

    /// The same by its id. Not inlined, like the last: the compiler's optimiser fails on a record that is held in a fold.
    @inline(never)
    borrowing func isCleared(_ local: LocalMessageID) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)), record.type.isMessage else { return false }
        return try isCleared(record, row(Messages.states, local) ?? MessageState())
    }

    /// Whether a message was recalled, deleted or cleared.
    borrowing func isGone(_ local: LocalMessageID) throws -> Bool {
        try row(Messages.states, local)?.isHidden ?? false || isCleared(local)
    }

    /// The messages that a clearing up to a place names as kept, whether they were shown or not, with their places.
    borrowing func messagesKept(by event: RecordView) throws -> [LocalMessageID: OrderKey] {
        var kept: [LocalMessageID: OrderKey] = [:]
        guard event.type == .historyCleared, event.clearedUpTo != nil else { return kept }
        try event.forEachReference(HistoryCleared.kept.field) { reference throws in
            guard let local = try local(of: MessageName(reference), in: event.conversationNumber),
                local.rawValue < event.position.rawValue
            else { return }
            kept[local] = try place(of: local)
        }
        return kept
    }

    /// The place of a message; nil if its record was cut off.
    @inline(never)
    borrowing func place(of local: LocalMessageID) throws -> OrderKey? {
        guard let record = try log.record(at: Position(local.rawValue)) else { return nil }
        return OrderKey(record, try row(Messages.states, local) ?? MessageState())
    }
}
