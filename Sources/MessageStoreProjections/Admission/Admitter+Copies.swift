@_spi(Storage) internal import MessageStoreLog

/// Facts recorded about a message that a copy of it could repeat.
struct ReportedFacts {
    var flags: MessageFlags = []
    var hasTime = false
    /// The last event by which the server has the message.
    var shownAt = Position.origin

    mutating func join(_ other: ReportedFacts) {
        flags.formUnion(other.flags)
        hasTime = hasTime || other.hasTime
        shownAt = max(shownAt, other.shownAt)
    }
}

/// Facts that the events of a batch record about messages, as far as copies of these could repeat them.
struct ReportedMessages {
    struct Telling {
        let message: MessageReference
        let conversation: ConversationNumber
        let facts: ReportedFacts
    }

    /// Facts that nobody needed to look up yet: most batches contain no copy that asks.
    var pending: [Telling] = []
    var facts: [Position: ReportedFacts] = [:]
    /// Whether a snapshot of the batch has a message's time.
    var hasTimes = false
    /// Facts about messages that were not there, by their server ids.
    var ahead: [IdentityKey: ReportedFacts] = [:]
}

/// How a batch acknowledges a queued message.
struct BatchAcknowledgement {
    let serverID: [UInt8]
    /// Whether the acknowledgement, or an earlier echo in the batch, has the server's time.
    let hasTime: Bool
    /// The echo of the batch that came before it.
    let echo: Position?
}

extension Admitter {
    /// Whether the appended record is a message of this account.
    var appendedIsOwn: Bool { writer.appended?.flags.contains(.isOutgoing) ?? false }

    /// Whether the appended record is a message that arrived with flags.
    var appendedHasFlags: Bool {
        guard let record = writer.appended, record.type == .messageReceived else { return false }
        return record[MessageReceived.Fields.flags] != nil
    }

    /// Notes the facts that an event records about messages and that a copy in the same batch could repeat.
    mutating func noteReported(_ event: Event) throws {
        // Casts cost more than what most events need here.
        guard event.type == .messageStatusFlagsSet || event.type == .messageSnapshotReceived else { return }
        let (messages, facts): ([MessageReference], ReportedFacts)
        switch event.payload {
        case let set as MessageStatusFlagsSet: (messages, facts) = (set.messages, ReportedFacts(flags: set.flags))
        case let reported as MessageSnapshotReceived:
            let hasTime = reported.sentTime ?? .unknown != .unknown
            if hasTime { self.reported.hasTimes = true }
            (messages, facts) = (
                [reported.message],
                ReportedFacts(flags: reported.flags ?? [], hasTime: hasTime, shownAt: writer.batch.nextPosition)
            )
        default: return
        }
        guard let conversation = writer.appended?.conversationNumber else { return }
        for message in messages {
            var facts = facts
            // A queued message has no server's time before it is acknowledged.
            if facts.hasTime, case .local(let local) = message,
                try isWaiting(Position(local.rawValue), in: conversation)
            {
                facts.hasTime = false
            }
            reported.pending.append(.init(message: message, conversation: conversation, facts: facts))
        }
    }

    /// Notes that the appended event leaves a chat room.
    mutating func noteLeaving() {
        guard let record = writer.appended, record.purgesChatRoom else { return }
        left[record.conversationNumber] = record.position
        messagesByContent = [:]
    }

    /// Whether a message has not been delivered again since its chat room was left.
    borrowing func isForgotten(_ position: Position, in room: ConversationNumber) throws -> Bool {
        let shownAt = reported.facts[position]?.shownAt ?? .origin
        if let left = left[room] { return max(position, shownAt) < left }
        guard position < writer.batch.firstPosition, shownAt == .origin else { return false }
        return try views.ask { try $0.isForgotten(LocalMessageID(position.rawValue), in: room) }
    }

    /// A copy of a known message may add the server's time, which the acknowledgement lacked, and flags; and it shows
    /// the message again where its chat room was left.
    mutating func learn(
        from copy: MessageReceived, isOwn: Bool, _ event: Event, _ position: Position,
        _ conversation: ConversationNumber
    ) throws {
        try lookUpReported()
        let facts = reportedFacts(of: position, Array(copy.serverID.rawValue.utf8), in: conversation)
        var news = MessageSnapshotReceived(.local(LocalMessageID(position.rawValue)))
        if isOwn, copy.sentTime != .unknown, try !facts.hasTime && lacksTime(position, in: conversation) {
            news.sentTime = copy.sentTime
        }
        if let flags = copy.flags?.intersection(copy.content.type.possibleFlags).subtracting(facts.flags),
            !flags.isEmpty
        {
            let serverID = Array(copy.serverID.rawValue.utf8)
            let unknown = try flags.subtracting(settledFlags(of: position, serverID, in: conversation))
                .intersection(possibleFlags(of: position))
            if !unknown.isEmpty { news.flags = unknown }
        }
        if try event.conversation?.kind == .chatRoom && isForgotten(position, in: conversation) {
            news.sentTime = copy.sentTime
        }
        guard !news.isEmpty else { return }
        let new = ReportedFacts(
            flags: news.flags ?? [], hasTime: news.sentTime ?? .unknown != .unknown,
            shownAt: writer.batch.nextPosition)
        try note(new, of: position)
        try writer.append(Event(any: news, in: event.conversation, origin: event.origin, device: event.device))
        try eraseAtReportedPlace()
        keep()
    }

    private mutating func lookUpReported() throws {
        for telling in reported.pending {
            switch telling.message {
            case .local(let local):
                guard try isMessage(local, in: telling.conversation) else { continue }
                try note(telling.facts, of: Position(local.rawValue))
            case .server(let id):
                let bytes = Array(id.rawValue.utf8)
                let identity = Identity(.serverID, scope: telling.conversation.rawValue, bytes: bytes.span.bytes)
                let key = identity.key
                if let position = try batchMessage(claiming: identity, key) ?? recorded(identity, key) {
                    try note(telling.facts, of: position)
                } else {
                    reported.ahead[key, default: .init()].join(telling.facts)
                }
            }
        }
        reported.pending.removeAll(keepingCapacity: true)
    }

    /// Facts about a repeat apply to its original.
    private mutating func note(_ facts: ReportedFacts, of position: Position) throws {
        reported.facts[position, default: .init()].join(facts)
        guard position < writer.batch.firstPosition,
            let state = try views.ask({ try $0.row(Messages.states, LocalMessageID(position.rawValue)) }),
            state.flags.contains(.isSuppressed), state.duplicateOf < position.rawValue
        else { return }
        reported.facts[Position(state.duplicateOf), default: .init()].join(facts)
    }

    /// The facts that the batch recorded about a message until now, also under its ids before it was there.
    private borrowing func reportedFacts(
        of position: Position, _ serverID: [UInt8], in conversation: ConversationNumber
    ) -> ReportedFacts {
        var facts = reported.facts[position] ?? ReportedFacts()
        for id in [serverID, acknowledged[position]?.serverID ?? []] {
            let identity = Identity(.serverID, scope: conversation.rawValue, bytes: id.span.bytes)
            if let ahead = reported.ahead[identity.key] { facts.join(ahead) }
        }
        return facts
    }

    /// Whether the server has reported no time for a message that it acknowledged, apart from the facts of the batch.
    borrowing func lacksTime(_ position: Position, in conversation: ConversationNumber) throws -> Bool {
        if let acknowledgement = acknowledged[position] {
            if acknowledgement.hasTime { return false }
            return try views.ask { try !$0.factsAhead(of: acknowledgement.serverID, in: conversation).hasTime }
        }
        guard position < writer.batch.firstPosition else { return false }
        return try views.ask { views throws in
            try views.row(Messages.states, LocalMessageID(position.rawValue))?.flags.contains(.isTimeProvisional)
                ?? false
        }
    }

    /// The flags of a message, without the flags that the batch set.
    private borrowing func settledFlags(
        of position: Position, _ serverID: [UInt8], in conversation: ConversationNumber
    ) throws -> MessageFlags {
        var settled = try arrivedFlags(of: position)
        var serverIDs: Set = [serverID]
        if let acknowledgement = acknowledged[position] {
            serverIDs.insert(acknowledgement.serverID)
            if let echo = acknowledgement.echo {
                settled.formUnion(try arrivedFlags(of: echo).union(reported.facts[echo]?.flags ?? []))
            }
        } else if let record = writer.batch[position] {
            serverIDs.insert(record.serverID.copied)
        }
        for serverID in serverIDs where !serverID.isEmpty {
            settled.formUnion(try views.ask { try $0.factsAhead(of: serverID, in: conversation).flags })
        }
        return settled
    }

    private borrowing func arrivedFlags(of position: Position) throws -> MessageFlags {
        guard position >= writer.batch.firstPosition else {
            return try views.ask { try $0.row(Messages.states, LocalMessageID(position.rawValue))?.userFlags ?? [] }
        }
        guard let record = writer.batch[position], record.type == .messageReceived else { return [] }
        return record[MessageReceived.Fields.flags] ?? []
    }

    private borrowing func possibleFlags(of position: Position) throws -> MessageFlags {
        guard position >= writer.batch.firstPosition else {
            return try views.ask { try $0.possibleFlags(of: LocalMessageID(position.rawValue)) }
        }
        guard let type = writer.batch[position]?.contentType else { return [] }
        return try writer.contentType(type).possibleFlags
    }
}

extension ViewSnapshot {
    /// The facts recorded under a server id, about a message that is to be acknowledged with it or to arrive.
    @inline(never)
    fileprivate borrowing func factsAhead(
        of serverID: [UInt8], in conversation: ConversationNumber
    ) throws -> ReportedFacts {
        var facts = ReportedFacts()
        if let parked = try row(Messages.parked, ServerIDKey(conversation: conversation, serverID: serverID)) {
            facts = ReportedFacts(flags: parked.userFlags, hasTime: parked.serverTime != 0)
        }
        let identity = Identity(.serverID, scope: conversation.rawValue, bytes: serverID.span.bytes)
        if let echo = try position(of: identity),
            try hasServerID(serverID.span.bytes, LocalMessageID(echo.rawValue))
        {
            let state = try row(Messages.states, LocalMessageID(echo.rawValue)) ?? MessageState()
            let time = try Messages.serverTime(ofEcho: echo, state, self)
            facts.join(ReportedFacts(flags: state.userFlags, hasTime: time ?? 0 != 0))
        }
        return facts
    }
}

// Events about messages that the store lacks.

extension Admitter {
    /// Whether the appended event names messages and the store has none of them.
    mutating func matchesNothing() throws -> Bool {
        guard let record = writer.appended else { return false }
        let conversation = record.conversationNumber
        switch record.type {
        case .messageSent, .messageSendFailed, .messageSendRetried:
            guard let queued = record.queuedMessage else { return false }
            return try !hasRecord(at: Position(queued.rawValue)) {
                $0.conversationNumber == conversation && $0.type == .messageSendQueued
            }
        case .pendingChangeUpdated:
            return try !hasRecord(at: record[PendingChangeUpdated.change]) { $0.mayAwaitServer }
        default:
            var (namesAny, hasAny) = (false, false)
            try record.forEachReference { reference throws in
                namesAny = true
                if !hasAny { hasAny = try hasMessage(reference, in: conversation) }
            }
            return namesAny && !hasAny
        }
    }

    /// Whether a conversation has a message, of this batch or an earlier one.
    borrowing func isMessage(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> Bool {
        let position = Position(local.rawValue)
        guard position >= writer.batch.firstPosition else {
            return try views.ask { try $0.isMessage(local, in: conversation) }
        }
        guard let record = writer.batch[position] else { return false }
        return record.type.isMessage && record.conversationNumber == conversation
    }

    /// Whether a queued message, of this batch or an earlier one, waits for its server.
    borrowing func isWaiting(_ position: Position, in conversation: ConversationNumber) throws -> Bool {
        guard acknowledged[position] == nil else { return false }
        guard position >= writer.batch.firstPosition else {
            return try views.ask { try $0.isUnacknowledged(LocalMessageID(position.rawValue), in: conversation) }
        }
        guard let queued = writer.batch[position] else { return false }
        return queued.type == .messageSendQueued && queued.conversationNumber == conversation
    }

    /// Whether there is a record at a position, of this batch or an earlier one, for which a condition holds.
    borrowing func hasRecord(at position: Position, where condition: (RecordView) -> Bool) throws -> Bool {
        if position >= writer.batch.firstPosition {
            guard let record = writer.batch[position] else { return false }
            return condition(record)
        }
        return try views.ask { views throws in
            guard let record = try views.log.record(at: position) else { return false }
            return condition(record)
        }
    }

    /// A server id that the filter of identities takes for a known one is taken for a message's.
    private borrowing func hasMessage(
        _ reference: ReferenceView, in conversation: ConversationNumber
    ) throws -> Bool {
        switch reference {
        case .local(let local): return try isMessage(local, in: conversation)
        case .server(let id):
            let identity = Identity(.serverID, scope: conversation.rawValue, bytes: id)
            let key = identity.key
            if own.number(of: key) != nil { return true }
            if let identityFilter { return identityFilter.mayContain(key) }
            return try views.ask { try $0.position(of: identity, key: key) } != nil
        }
    }
}
