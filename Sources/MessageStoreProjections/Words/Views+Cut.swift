@_spi(Storage) package import MessageStoreLog

extension Views {
    /// The records that no answer needs any more, because events erased what they are about: cleared messages that are
    /// not shown, what other events say of these alone, and clearings by a policy of retention that a later one covers.
    ///
    /// The newest of the messages of a conversation stays, without its content, and the newest that moves it in the list:
    /// they give the timeline a beginning, and the conversation its place. So does the one at the read marker, and so do messages that a server has
    /// yet to accept or to give a time, those from the future, and those with changes that the host has yet to report, or
    /// with files on this device. So do echoes and repeats of a message that stays. Costs up to three scans of the log.
    ///
    /// - Parameters:
    ///   - replayStart: The last event for which records were cut off.
    ///   - plan: Clearings that could be recorded now; the files of their messages are taken to be gone.
    /// - Returns: nil if nothing was erased since.
    package borrowing func cut(after replayStart: Position, planning plan: PlannedRemoval = .init()) throws -> LogCut? {
        var cleared = try plannedClearings(plan)
        let planned = cleared
        try snapshot.log.scan(from: Position(1), to: position) { record in
            guard record.erases, record.type == .historyCleared || record.type == .conversationDeleted else {
                return .proceed
            }
            cleared[record.conversationNumber, default: NamedMessages()].clear(
                record, upTo: record.type == .historyCleared ? record.clearedUpTo : nil,
                except: try snapshot.messagesKept(by: record))
            return .proceed
        }
        guard let cause = cleared.values.compactMap(\.clearing).max(), cause > replayStart else { return nil }
        var cut = LogCut(cause: cause)
        let kept = try needed { conversation, local in
            try planned[conversation].map { try isCleared(local, by: $0) } ?? false
        }
        try addMessages(cleared, except: kept, to: &cut)
        guard cut.positions.count > 0 else { return nil }
        let types = Self.typesAboutMessages
        try snapshot.log.scan(from: Position(1), to: position) { record in
            guard let clearings = cleared[record.conversationNumber], !kept.contains(record.position) else {
                return .proceed
            }
            guard try types.contains(record.type) ? isAbout(record, cut.positions) : clearings.supersede(record) else {
                return .proceed
            }
            // A record after the cause stays, and may give one more id to a message that goes.
            if record.position <= cause { cut.add(record) }
            // The server's id of a message that was sent, and of a repeat, is in an event of its own. One that names no
            // message is nobody's, and may come as another message's.
            if record.renamedMessage != nil, record.serverID.byteCount > 0,
                try isCutting(record.serverID, of: record, cut.positions)
            {
                cut.add(Identity(.serverID, scope: record.conversation, bytes: record.serverID))
            }
            return .proceed
        }
        return cut
    }

    /// Whether the record of a message was cut off.
    package borrowing func isCutOff(_ message: MessageReference, in conversation: ConversationKey) throws -> Bool {
        switch message {
        case .local(let id): return try snapshot.log.gap(at: Position(id.rawValue)) != nil
        case .server(let id):
            guard let number = try snapshot.symbols.number(of: conversation) else { return false }
            let bytes = Array(id.rawValue.utf8)
            return try snapshot.log.isCut(Identity(.serverID, scope: number.rawValue, bytes: bytes.span.bytes).key)
        }
    }

    /// Changes that wait and events that recorded files, with the messages that they name.
    ///
    /// - Parameter isLeaving: Whether the files of a message are left out.
    private borrowing func needed(
        without isLeaving: (ConversationNumber, LocalMessageID) throws -> Bool
    ) throws -> PositionSet {
        var positions = PositionSet()
        for (key, _) in try snapshot.allRows(PendingChanges.changes) { positions.insert(key.position) }
        try snapshot.forEachRow(MessageDetails.fileOrder, under: ConversationNumber.none) { key, _ in
            let local = try snapshot.local(of: key.name, in: key.conversation)
            if let local, try isLeaving(key.conversation, local) { return true }
            if let file = try snapshot.localFile(key.index, of: key.name, in: key.conversation) {
                positions.insert(Position(file.position))
                positions.insert(Position(file.since))
                if let local { positions.insert(Position(local.rawValue)) }
            }
            return true
        }
        for range in positions.ranges {
            try snapshot.log.scan(from: range.lowerBound, to: range.upperBound) { record in
                guard Self.typesAboutMessages.contains(record.type) else { return .proceed }
                try record.forEachReference { reference throws in
                    if let local = try local(named: reference, by: record) {
                        positions.insert(Position(local.rawValue))
                    }
                }
                return .proceed
            }
        }
        return positions
    }

    private borrowing func addMessages(
        _ cleared: [ConversationNumber: NamedMessages], except kept: PositionSet, to cut: inout LogCut
    ) throws {
        // Of all messages, and of messages that move their conversation in the list.
        var newest: [[ConversationNumber: (order: OrderKey, position: Position)]] = [[:], [:]]
        // Somebody read all messages up to there, and an event without a place says so.
        let markers = try Dictionary(
            uniqueKeysWithValues: cleared.keys.map { ($0, try snapshot.unreadRow(of: $0).readUpTo) })
        // Echoes and repeats, by the messages to which they add something.
        var copies: [Position: [Position]] = [:]
        try forEachClearedMessage(of: cleared) { record, state in
            let (conversation, local) = (record.conversationNumber, LocalMessageID(record.position.rawValue))
            let owner =
                state.duplicateOf != 0
                ? LocalMessageID(state.duplicateOf)
                : try snapshot.local(of: record.serverID, in: conversation)
            if let owner, owner != local { copies[Position(owner.rawValue), default: []].append(record.position) }
            guard !state.flags.contains(.isTimeProvisional), !record.isAhead(OrderKey.time(of: record, state)),
                try !snapshot.isUnacknowledged(local, in: conversation)
            else { return }
            let order = OrderKey(record, state)
            let moves = !record.flags.isDisjoint(with: [.updatesLastMessage, .countsUnread])
            for list in moves ? 0...1 : 0...0 where newest[list][conversation].map({ $0.order < order }) ?? true {
                newest[list][conversation] = (order, record.position)
            }
            guard !kept.contains(record.position), order != markers[conversation] else { return }
            cut.add(record)
            // The event that gave it may stay.
            if !state.serverID.isEmpty {
                cut.add(Identity(.serverID, scope: record.conversation, bytes: state.serverID.span.bytes))
            }
        }
        var staying = newest.flatMap(\.values).map(\.position)
        for (message, copies) in copies where !cut.positions.contains(message) {
            if try snapshot.log.gap(at: message) == nil { staying += copies }
        }
        while let position = staying.popLast() {
            if let record = try snapshot.log.record(at: position) { cut.remove(record) }
            staying += copies.removeValue(forKey: position) ?? []
        }
    }

    /// The types of events that say something about the messages that they name, and nothing else.
    private static var typesAboutMessages: Set<EventType> {
        Set.with(.needsMessage).union(Set.with(.changesOneMessage)).union(Set.with(.holdsWords))
            .union([.readReceiptRequested, .readReceiptSent, .messageStatusFlagsSet, .messageDuplicateSuppressed])
            .subtracting([.pendingChangeUpdated])
    }

    /// Whether an event that was recorded after these views names a message that is to be cut off.
    package borrowing func isNamed(_ messages: PositionSet, since position: Position) throws -> Bool {
        var isNamed = false
        try snapshot.log.scan(from: Position(position.rawValue + 1), to: self.position) { record in
            guard Self.typesAboutMessages.contains(record.type) else { return .proceed }
            if let local = record.queuedMessage { isNamed = isNamed || messages.contains(Position(local.rawValue)) }
            try record.forEachReference { reference throws in
                guard let local = try local(named: reference, by: record) else { return }
                isNamed = isNamed || messages.contains(Position(local.rawValue))
            }
            return isNamed ? .stop : .proceed
        }
        return isNamed
    }

    /// Whether an event says something about some messages alone.
    private borrowing func isAbout(_ record: RecordView, _ messages: PositionSet) throws -> Bool {
        func isOne(_ local: LocalMessageID) throws -> Bool {
            let position = Position(local.rawValue)
            return try messages.contains(position) || snapshot.log.gap(at: position) != nil
        }
        if record.type == .messageDuplicateSuppressed {
            return try record.renamedMessage.map { try isOne($0) } ?? false
                && isCutting(record.serverID, of: record, messages)
        }
        if let queued = record.queuedMessage { return try isOne(queued) }
        var (namesAny, namesOthers) = (false, false)
        try record.forEachReference { reference throws in
            namesAny = true
            switch reference {
            case .local(let local):
                if try local.rawValue >= record.position.rawValue || !isOne(local) { namesOthers = true }
            case .server(let id): if try !isCutting(id, of: record, messages) { namesOthers = true }
            }
        }
        return namesAny && !namesOthers
    }

    /// Whether a server id in a record names a message that is, or was, cut off.
    private borrowing func isCutting(_ serverID: RawSpan, of record: RecordView, _ messages: PositionSet) throws -> Bool
    {
        let identity = Identity(.serverID, scope: record.conversationNumber.rawValue, bytes: serverID)
        if let position = try snapshot.position(of: identity) { return messages.contains(position) }
        return try snapshot.log.isCut(identity.key)
    }
}
