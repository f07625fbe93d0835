@_spi(Storage) package import MessageStoreLog

extension ViewSnapshot {
    /// The order up to which this account has read a conversation; empty where it has read nothing.
    borrowing func readMarker(of conversation: ConversationNumber) throws -> OrderKey {
        try unreadRow(of: conversation).readUpTo
    }

    /// The read marker of a conversation; nil where those rows are being rebuilt, or are none of those that a host's
    /// projection reads.
    borrowing func knownMarker(of conversation: ConversationNumber) throws -> ReadMarker? {
        isAvailable(UnreadCounters.counters.place) ? try unreadRow(of: conversation).marker : nil
    }

    borrowing func unreadRow(of conversation: ConversationNumber) throws -> UnreadRow {
        try row(UnreadCounters.counters, conversation) ?? UnreadRow()
    }

    /// The next time after a moment at which a conversation is no longer muted, or restricted to mentions; nil where
    /// none is.
    package borrowing func nextMuteLimit(after moment: Timestamp) throws -> Timestamp? {
        guard isAvailable(UnreadCounters.muteLimits.place) else { return nil }
        var cursor = try rows(
            UnreadCounters.muteLimits, from: MuteLimitKey(until: UInt64(clamping: moment.milliseconds) + 1))
        guard try cursor.next() else { return nil }
        let until = try cursor.key(of: UnreadCounters.muteLimits).until
        return Timestamp(milliseconds: Int64(clamping: until))
    }

    /// The conversations that are muted, or restricted to mentions, at one of two moments by a limit that has come at the
    /// other.
    borrowing func conversations(mutedUntil first: Timestamp, _ second: Timestamp) throws -> Set<ConversationNumber> {
        let low = UInt64(clamping: min(first, second).milliseconds)
        let high = UInt64(clamping: max(first, second).milliseconds)
        var found: Set<ConversationNumber> = []
        guard low < high else { return found }
        var cursor = try rows(UnreadCounters.muteLimits, from: MuteLimitKey(until: low + 1))
        while try cursor.next() {
            let key = try cursor.key(of: UnreadCounters.muteLimits)
            guard key.until <= high else { break }
            found.insert(key.conversation)
        }
        return found
    }

    borrowing func unreadTotal(_ key: UnreadTotalKey) throws -> UnreadTotal {
        try row(UnreadCounters.totals, key) ?? UnreadTotal()
    }

    /// Whether a message came from history.
    @inline(never)
    borrowing func isFromHistory(_ local: LocalMessageID) throws -> Bool {
        try record(at: Position(local.rawValue), namedBy: Timeline.messages.place).origin == .history
    }

    /// Whether a message mentions the account by name.
    @inline(never)
    borrowing func namesAccount(_ local: LocalMessageID) throws -> Bool {
        Messages.namesAccount(
            try record(at: Position(local.rawValue), namedBy: Timeline.messages.place),
            try row(Messages.states, local) ?? MessageState())
    }

    /// The same of the event that is folded, which is not among the records below it.
    @inline(never)
    borrowing func namesAccount(_ event: RecordView) throws -> Bool {
        let local = LocalMessageID(event.position.rawValue)
        return Messages.namesAccount(event, try row(Messages.states, local) ?? MessageState())
    }
}
