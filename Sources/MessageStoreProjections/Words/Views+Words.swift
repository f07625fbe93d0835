@_spi(Storage) package import MessageStoreLog

/// Messages of one conversation, to look for everything that they say.
struct NamedMessages {
    var positions: Set<Position> = []
    /// The ids of messages that have not arrived.
    var unknownIDs: Set<[UInt8]> = []
    /// The erasing events that clear the conversation: the last position that each covers, the place up to which it
    /// clears, nil for everything before it, the messages that it keeps with their places, and whether it is only planned.
    var clearings: [(position: Position, upTo: OrderKey?, kept: [LocalMessageID: OrderKey], isPlanned: Bool)] = []
    /// Whether messages that are shown are passed over, whatever names they share.
    var sparesShown = false

    /// Adds what an event clears.
    ///
    /// - Parameters:
    ///   - last: The last position that it clears; nil for the event's.
    ///   - kept: The messages that it keeps.
    mutating func clear(
        _ event: RecordView, upTo place: OrderKey?, through last: Position? = nil,
        except kept: [LocalMessageID: OrderKey] = [:]
    ) {
        clearings.append((last ?? event.position, place, kept, false))
    }

    /// Whether a clearing covers a message.
    func clears(_ record: RecordView, _ state: MessageState, isPlanned: Bool) -> Bool {
        let local = LocalMessageID(record.position.rawValue)
        return clearings.contains {
            $0.position >= record.position && $0.upTo?.precedes(record, state) != true && $0.kept[local] == nil
                && ($0.isPlanned || !isPlanned)
        }
    }

    /// Whether a later event clears all that one of a policy of retention did.
    func supersede(_ event: RecordView) -> Bool {
        guard event.type == .historyCleared, event.erases, event[HistoryCleared.isRetention] == true,
            let place = event.clearedUpTo
        else { return false }
        let kept = clearings.first { $0.position == event.position }?.kept ?? [:]
        return clearings.contains { later in
            later.position > event.position && later.upTo.map { $0 >= place } ?? true
                // It would show again what the earlier one cleared.
                && later.kept.allSatisfy { place < $0.value || kept[$0.key] != nil }
        }
    }

    /// The last event that clears the conversation; nil if none does.
    var clearing: Position? { clearings.map(\.position).max() }
}

/// The messages of one conversation that events erase, as far as somebody asked.
private struct ErasedMessages {
    let named: NamedMessages
    /// The ids of the messages that are named.
    var serverIDs: Set<[UInt8]> = []
    var known: [Position: Bool] = [:]
}

extension Views {
    /// The positions of the content that the event at `position` is about: for a message its own record, other records
    /// of the same server id (its echo, another attempt), its repeats, and every modification, replacement, snapshot
    /// and attachment, without those that have no words any more; else the event itself. Costs a look at each record of
    /// the conversation that has some; see `LogSnapshot.forEachRecordWithWords(of:to:_:)`.
    package borrowing func wordPositions(of position: Position) throws -> [Position] {
        guard let record = try snapshot.log.record(at: position),
            record.type.isMessage
        else { return [position] }
        return try wordPositions(of: [record.conversationNumber: NamedMessages(positions: [position])])
    }

    /// The positions of the contents that events erase, as above: of the messages that they delete, recall or clear,
    /// unless these are shown all the same, and of the messages and senders that they name. A message that comes after
    /// its clearing in one commit is cleared as well. Costs as much as above for each conversation, and a scan of the log
    /// for each event that names senders.
    ///
    /// - Parameter events: The positions of the events that erase.
    package borrowing func wordPositions(erasedBy events: [Position]) throws -> [Position] {
        var hidden: [ConversationNumber: NamedMessages] = [:]
        var named: [ConversationNumber: NamedMessages] = [:]
        for position in events where position <= self.position {
            guard let event = try snapshot.log.record(at: position) else { continue }
            let conversation = event.conversationNumber
            var erased = hidden[conversation] ?? NamedMessages(sparesShown: true)
            switch event.type {
            case .valuesErased:
                for message in try messages(namedBy: event) {
                    guard let record = try snapshot.log.record(at: message) else { continue }
                    named[record.conversationNumber, default: NamedMessages()].positions.insert(message)
                }
                continue
            case .historyCleared:
                erased.clear(
                    event, upTo: event.clearedUpTo, through: try lastInCommit(of: event),
                    except: try snapshot.messagesKept(by: event))
            case .conversationDeleted: erased.clear(event, upTo: nil, through: try lastInCommit(of: event))
            case .messageSent, .messageDuplicateSuppressed:
                // The name or place that it gave an own message hides that.
                if let local = event.renamedMessage, try snapshot.isGone(local),
                    try snapshot.log.record(at: Position(local.rawValue))?.conversationNumber == conversation
                {
                    erased.positions.insert(Position(local.rawValue))
                }
            case _ where event.type.isMessage:
                // It came after a clearing, and events that were recorded before have words of it.
                if try snapshot.isGone(LocalMessageID(position.rawValue)) { erased.positions.insert(position) }
            default:
                try event.forEachReference { reference throws in
                    if let local = try local(named: reference, by: event) {
                        if try snapshot.isGone(local) { erased.positions.insert(Position(local.rawValue)) }
                    } else if case .server(let id) = reference {
                        erased.unknownIDs.insert(id.copied)
                    }
                }
            }
            hidden[conversation] = erased
        }
        let words = try wordPositions(of: hidden)
        return named.isEmpty ? words : try Set(words + wordPositions(of: named)).ordered()
    }

    /// Whether events erase contents that ``wordPositions(erasedBy:)`` does not name: of whole conversations, of events that
    /// are no messages, and of events that a host declares.
    package borrowing func takesMoreThanWords(erasedBy events: [Position], hasHostEvents: Bool) throws -> Bool {
        for position in events {
            guard let event = try snapshot.log.record(at: position), event.type == .valuesErased else { continue }
            if event.fields.first(ValuesErased.conversations.number) != nil { return true }
            if hasHostEvents, event.fields.first(ValuesErased.users.number) != nil { return true }
            var isOther = false
            try event.fields.forEachNumber(ValuesErased.events.number) { number throws in
                if try snapshot.log.record(at: Position(number))?.type.isMessage != true { isOther = true }
            }
            if isOther { return true }
        }
        return false
    }

    /// The messages before an event that it names, or whose senders it names.
    private borrowing func messages(namedBy event: RecordView) throws -> [Position] {
        var positions: [Position] = []
        try event.fields.forEachNumber(ValuesErased.events.number) { number throws in
            let position = Position(number)
            guard position < event.position, try snapshot.log.record(at: position)?.type.isMessage == true else {
                return
            }
            positions.append(position)
        }
        guard event[ValuesErased.alsoMessages] else { return positions }
        let users = Set(event.fields.firstPacked(ValuesErased.users.number) ?? [])
        try snapshot.log.scan(from: Position(1), to: event.position) { record in
            if record.type.isMessage, users.contains(record.actor) { positions.append(record.position) }
            return .proceed
        }
        return positions
    }

    borrowing func wordPositions(of named: [ConversationNumber: NamedMessages]) throws -> [Position] {
        var words: [Position] = []
        for (conversation, messages) in named {
            var erased = ErasedMessages(named: messages)
            for position in messages.positions {
                if let id = try serverID(ofMessageAt: position) { erased.serverIDs.insert(id) }
            }
            try snapshot.log.forEachRecordWithWords(of: conversation.rawValue, to: position) { record in
                var isErased = try record.type.isMessage && isErased(record, by: &erased)
                if record.type.has(.holdsWords) {
                    try record.forEachReference { reference throws in
                        if let local = try local(named: reference, by: record) {
                            isErased = try isErased || self.isErased(Position(local.rawValue), by: &erased)
                        } else if case .server(let id) = reference {
                            isErased = isErased || messages.unknownIDs.contains(id.copied)
                        }
                    }
                }
                if isErased { words.append(record.position) }
            }
        }
        // The positions of one conversation are in order.
        return named.count > 1 ? words.ordered() : words
    }

    /// Calls `body` with the messages that events clear.
    borrowing func forEachClearedMessage(
        of named: [ConversationNumber: NamedMessages], _ body: (RecordView, MessageState) throws -> Void
    ) throws {
        guard let last = named.values.compactMap(\.clearing).max() else { return }
        try snapshot.log.scan(from: Position(1), to: min(last, position)) { record in
            guard record.type.isMessage, let messages = named[record.conversationNumber] else { return .proceed }
            let state = try snapshot.row(Messages.states, LocalMessageID(record.position.rawValue)) ?? MessageState()
            if try isCleared(record, state, messages) { try body(record, state) }
            return .proceed
        }
    }

    /// Whether a message is erased: it is named or cleared, it repeats an earlier erased message or a later one that is
    /// named or cleared, or it has the id of a named message or of a cleared one that goes by it. With `sparesShown`,
    /// such a copy is erased only if it is not shown.
    private borrowing func isErased(_ record: RecordView, by erased: inout ErasedMessages) throws -> Bool {
        if let known = erased.known[record.position] { return known }
        // The message, and the ones before it that each repeats.
        var copies: [Copy] = []
        var isErased = true
        if var copy = try copy(record, erased) {
            isErased = false
            copies.append(copy)
            while let position = copy.original, position < copy.position {
                if let known = erased.known[position] {
                    isErased = known
                    break
                }
                guard let record = try snapshot.log.record(at: position), record.type.isMessage else { break }
                guard let next = try self.copy(record, erased) else {
                    (erased.known[position], isErased) = (true, true)
                    break
                }
                copies.append(next)
                copy = next
            }
        } else {
            erased.known[record.position] = true
        }
        for copy in copies.reversed() {
            isErased = try (isErased || copy.hasErasedID) && (!erased.named.sparesShown || !isShown(copy.position))
            erased.known[copy.position] = isErased
        }
        return isErased
    }

    private borrowing func isErased(_ position: Position, by erased: inout ErasedMessages) throws -> Bool {
        if let known = erased.known[position] { return known }
        guard let record = try snapshot.log.record(at: position), record.type.isMessage else { return false }
        return try isErased(record, by: &erased)
    }

    /// A message that is neither named nor cleared.
    private struct Copy {
        let position: Position
        /// The message that it repeats.
        let original: Position?
        /// Whether it has the id of a named or cleared message, or repeats such a one that came later.
        let hasErasedID: Bool
    }

    /// Nil for a message that is named or cleared.
    private borrowing func copy(_ record: RecordView, _ erased: ErasedMessages) throws -> Copy? {
        let state = try snapshot.row(Messages.states, LocalMessageID(record.position.rawValue)) ?? MessageState()
        guard try !isNamedOrCleared(record, state, erased.named) else { return nil }
        let original = state.duplicateOf == 0 ? nil : Position(state.duplicateOf)
        let isLater = original.map { $0 > record.position } ?? false
        let id = record.serverID.copied
        let hasErasedID =
            try isLater && isNamedOrCleared(original ?? .origin, erased.named)
            || isErased(id, of: record, erased) || state.serverID != id && isErased(state.serverID, of: record, erased)
        return Copy(position: record.position, original: original, hasErasedID: hasErasedID)
    }

    /// Whether a server's id of a record is that of a message that is named, or leads to one that is named or cleared.
    private borrowing func isErased(
        _ id: [UInt8], of record: RecordView, _ erased: ErasedMessages
    ) throws -> Bool {
        if id.isEmpty || erased.serverIDs.contains(id) { return !id.isEmpty }
        guard let message = try snapshot.local(of: id.span.bytes, in: record.conversationNumber),
            message.rawValue != record.position.rawValue
        else { return false }
        return try isNamedOrCleared(Position(message.rawValue), erased.named)
    }

    private borrowing func isNamedOrCleared(
        _ record: RecordView, _ state: MessageState, _ messages: NamedMessages
    ) throws -> Bool {
        try messages.positions.contains(record.position) || isCleared(record, state, messages)
    }

    private borrowing func isNamedOrCleared(_ position: Position, _ messages: NamedMessages) throws -> Bool {
        guard let record = try snapshot.log.record(at: position), record.type.isMessage else { return false }
        let state = try snapshot.row(Messages.states, LocalMessageID(position.rawValue)) ?? MessageState()
        return try isNamedOrCleared(record, state, messages)
    }

    /// Whether an event clears the message, and the message is below the floor of its conversation, or would be after
    /// an event that is planned.
    private borrowing func isCleared(
        _ record: RecordView, _ state: MessageState, _ messages: NamedMessages
    ) throws -> Bool {
        guard messages.clears(record, state, isPlanned: false) else { return false }
        return try messages.clears(record, state, isPlanned: true) || snapshot.isCleared(record, state)
    }

    /// Whether there is a message at a position that timelines show with its content.
    private borrowing func isShown(_ position: Position) throws -> Bool {
        guard let record = try snapshot.log.record(at: position), record.type.isMessage else { return true }
        let state = try snapshot.row(Messages.states, LocalMessageID(position.rawValue)) ?? MessageState()
        return try !state.flags.contains(.isRecalled) && absence(of: record, state) == nil
    }

    /// The last position of the commit of an event.
    private borrowing func lastInCommit(of event: RecordView) throws -> Position {
        let commit = event.position.rawValue &- UInt64(event.commitIndex)
        var last = event.position
        try snapshot.log.scan(from: Position(event.position.rawValue + 1), to: position) { record in
            guard record.position.rawValue &- UInt64(record.commitIndex) == commit else { return .stop }
            last = record.position
            return .proceed
        }
        return last
    }

    /// The message that an event names; a local id of a message to come, or of another conversation, names none.
    borrowing func local(named reference: ReferenceView, by event: RecordView) throws -> LocalMessageID? {
        switch reference {
        case .local(let local):
            guard local.rawValue < event.position.rawValue,
                try snapshot.log.record(at: Position(local.rawValue))?.conversation == event.conversation
            else { return nil }
            return local
        case .server(let id): return try snapshot.local(of: id, in: event.conversationNumber)
        }
    }

    borrowing func serverID(ofMessageAt position: Position) throws -> [UInt8]? {
        if let known = try snapshot.row(Messages.states, LocalMessageID(position.rawValue))?.serverID, !known.isEmpty {
            return known
        }
        let id = try snapshot.log.record(at: position)?.serverID.copied ?? []
        return id.isEmpty ? nil : id
    }
}
