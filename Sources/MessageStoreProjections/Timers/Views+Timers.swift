@_spi(Storage) public import MessageStoreLog

extension Views {
    /// After how long messages of a conversation disappear that carry no timer of their own; nil where they stay.
    ///
    /// - Throws: `StoreError`.
    public borrowing func timer(of conversation: ConversationKey) throws -> MessageTimer? {
        guard let number = try snapshot.symbols.number(of: conversation) else { return nil }
        return try snapshot.row(Timers.timers, TimerKey(.conversation, number))?.timer
    }

    /// Whether anything may disappear.
    package var hasTimers: Bool { snapshot.isAvailable(Timers.timers.place) && snapshot.hasTimers }

    /// The messages whose time has come, those of the earliest time first, and when that of the next one comes.
    package borrowing func expired(
        at now: Timestamp, limit: Int
    ) throws -> (messages: [ConversationKey: [LocalMessageID]], next: Timestamp?) {
        var (expired, count): ([ConversationNumber: [LocalMessageID]], Int) = ([:], 0)
        var next: Timestamp?
        try snapshot.forEachRow(Timers.timers, under: TimerScope()) { key, _ in
            let time = Timestamp(milliseconds: Int64(clamping: key.time))
            guard time <= now, count < limit else {
                next = time
                return false
            }
            expired[key.conversation, default: []].append(key.local)
            count += 1
            return true
        }
        let messages = try expired.map { (try snapshot.symbols.conversation($0), $1) }
        return (Dictionary(uniqueKeysWithValues: messages), next)
    }
}

extension ViewSnapshot {
    /// When a message disappears; nil where it does not, or that is not known.
    borrowing func expiry(of message: RecordView) throws -> Timestamp? {
        guard hasTimers, isAvailable(Timers.timers.place) else { return nil }
        let key = TimerKey(.running, message.conversationNumber, LocalMessageID(message.position.rawValue))
        return try row(Timers.timers, key).map { Timestamp(milliseconds: Int64(clamping: $0.time)) }
    }

    /// Whether this account has read a message. Not inlined: the compiler's optimiser fails on a record that is held
    /// in a fold.
    @inline(never)
    borrowing func isRead(_ local: LocalMessageID, _ marker: ReadMarker) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)) else { return false }
        return marker.isRead(record, try row(Messages.states, local) ?? MessageState())
    }
}
