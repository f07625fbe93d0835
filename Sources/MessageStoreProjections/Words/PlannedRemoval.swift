@_spi(Storage) package import MessageStoreLog

/// The messages that a clean-up removes: all up to a place, or some by name.
package struct PlannedRemoval: Sendable {
    /// The conversations in which all messages up to a place go, but for marked ones.
    package fileprivate(set) var cleared: [ConversationKey: NotKept] = [:]
    /// The messages that go.
    package fileprivate(set) var deleted: [ConversationKey: [LocalMessageID]] = [:]

    package init() {}
}

extension Views {
    /// The messages that a clean-up removes: neither unread nor newer than an unread one of their conversation, neither
    /// starred nor pinned, and accepted by the server. Costs a step for each message that is shown.
    ///
    /// - Parameters:
    ///   - time: Messages of this time and later ones stay.
    ///   - types: The content types of the messages that go; nil for all.
    package borrowing func removal(
        in conversations: [ConversationKey], before time: Timestamp, types: Set<ContentType>?
    ) throws -> PlannedRemoval {
        var removal = PlannedRemoval()
        for conversation in conversations {
            if let types {
                let messages = try messages(of: conversation, before: time, types)
                if !messages.isEmpty { removal.deleted[conversation] = messages }
            } else {
                let limits = RetentionLimits(
                    since: time, messages: nil, lowWaterMark: nil, keepsUnread: true, keepsMarked: true)
                let notKept = try notKept(of: conversation, limits)
                if notKept.last != nil { removal.cleared[conversation] = notKept }
            }
        }
        return removal
    }

    private borrowing func messages(
        of conversation: ConversationKey, before time: Timestamp, _ types: Set<ContentType>
    ) throws -> [LocalMessageID] {
        guard let number = try snapshot.symbols.number(of: conversation) else { return [] }
        let marked = try markedMessages(of: number)
        let oldestUnread = try snapshot.oldestUnread(try snapshot.unreadRow(of: number), in: number)
        let end = UInt64(clamping: time.milliseconds)
        var messages: [LocalMessageID] = []
        try walk(number, types: types).forEach(snapshot) { order, row in
            guard !OrderKey.isUnsent(order), OrderKey.time(of: order) < end,
                oldestUnread.map({ OrderKey(order) < $0 }) ?? true
            else { return false }
            // Nobody knows how old a message without a time is.
            if OrderKey.time(of: order) > 0, !marked.contains(row.local) { messages.append(row.local) }
            return true
        }
        return messages
    }

    /// The bytes that records lose by the events of a removal and the compaction after them, where its files are gone: those of
    /// records that are cut off, the words of those that stay, and the keys by which the first are recognised, which stay.
    /// Costs some scans of the log.
    ///
    /// - Parameter replayStart: The last event for which records were cut off.
    package borrowing func recordBytes(
        of removal: PlannedRemoval, after replayStart: Position
    ) throws -> (cut: Int, words: Int, keys: Int) {
        var named = try plannedClearings(removal)
        for (conversation, messages) in removal.deleted {
            guard let number = try snapshot.symbols.number(of: conversation) else { continue }
            named[number, default: NamedMessages()].positions = Set(messages.map { Position($0.rawValue) })
        }
        let planned = try removal.cleared.isEmpty ? nil : cut(after: replayStart, planning: removal)
        let cut = try planned == nil ? nil : cut(after: replayStart)
        var words = 0
        for position in try wordPositions(of: named) where planned?.positions.contains(position) != true {
            words += try snapshot.log.record(at: position)?.content.byteCount ?? 0
        }
        let identities = (planned?.identities.count ?? 0) - (cut?.identities.count ?? 0)
        return ((planned?.byteCount ?? 0) - (cut?.byteCount ?? 0), words, identities * LogCut.bytesOfIdentity)
    }

    /// The events of a removal without the messages that were recorded, starred or pinned since it was planned.
    package borrowing func sparing(_ events: [Event], since planned: Position) throws -> [Event] {
        try events.compactMap { event in
            guard let conversation = event.conversation, let number = try snapshot.symbols.number(of: conversation)
            else {
                return event
            }
            let marked = try markedMessages(of: number)
            if var deletion = event.payload as? MessagesDeleted {
                deletion.messages.removeAll { if case .local(let local) = $0 { marked.contains(local) } else { false } }
                return deletion.messages.isEmpty ? nil : Event(deletion, in: conversation)
            }
            guard var clearing = event.payload as? HistoryCleared, let last = clearing.upTo.map({ OrderKey($0) }) else {
                return event
            }
            var kept: [MessageReference] = []
            try walk(number, types: nil).forEach(snapshot) { order, row in
                guard OrderKey(order) <= last else { return false }
                if row.local.rawValue > planned.rawValue || marked.contains(row.local) {
                    kept.append(.local(row.local))
                }
                return true
            }
            clearing.kept = kept
            return Event(clearing, in: conversation)
        }
    }

    /// The files on this device of the messages that a removal removes, largest first.
    package borrowing func files(of removal: PlannedRemoval) throws -> [LocalFile] {
        let cleared = try plannedClearings(removal)
        let deleted = removal.deleted.mapValues { Set($0) }
        var files: [LocalFile] = []
        var last: PageCursor?
        repeat {
            let page = try localFiles(after: last, limit: Self.pageLimits.upperBound)
            for file in page.elements {
                guard let number = try snapshot.symbols.number(of: file.conversation),
                    let local = try snapshot.local(of: file.message, in: number)
                else { continue }
                let goes = try cleared[number].map { try isCleared(local, by: $0) } ?? false
                if goes || deleted[file.conversation]?.contains(local) == true { files.append(file) }
            }
            last = page.next
        } while last != nil
        return files
    }

    /// The clearings of a removal, as if the next event recorded them.
    borrowing func plannedClearings(_ removal: PlannedRemoval) throws -> [ConversationNumber: NamedMessages] {
        var clearings: [ConversationNumber: NamedMessages] = [:]
        for (conversation, notKept) in removal.cleared {
            guard let number = try snapshot.symbols.number(of: conversation), let last = notKept.last else { continue }
            var kept: [LocalMessageID: OrderKey] = [:]
            for message in notKept.marked { kept[message] = try snapshot.place(of: message) }
            clearings[number, default: NamedMessages()].clearings.append(
                (Position(position.rawValue + 1), OrderKey(last), kept, true))
        }
        return clearings
    }

    /// Whether a planned clearing covers a message.
    borrowing func isCleared(_ local: LocalMessageID, by messages: NamedMessages) throws -> Bool {
        guard let record = try snapshot.log.record(at: Position(local.rawValue)), record.type.isMessage else {
            return false
        }
        return messages.clears(record, try snapshot.row(Messages.states, local) ?? MessageState(), isPlanned: true)
    }
}
