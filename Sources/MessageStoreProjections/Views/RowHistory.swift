/// When the rows that listed conversations are assembled from changed last, and what was assembled from them.
///
/// A history begins with the views that the write buffer lies over, and ends where rows change without a fold: then the
/// next one begins with nothing assembled.
struct RowHistory: Sendable {
    /// Whether changes of a table are noted; decided where the code is compiled, for every row of every fold asks it.
    @inline(__always)
    static func notes(_ table: ViewTable) -> Bool {
        let conversations =
            ConversationList.conversations.place.bit | ConversationList.info.place.bit
            | UnreadCounters.counters.place.bit | Timeline.ranges.place.bit | Members.members.place.bit
            | Members.lists.place.bit | TeamInfo.table.place.bit
        let others =
            Profile.table.place.bit | Contacts.contacts.place.bit | Messages.states.place.bit
            | Messages.receiptMarks.place.bit
        return (conversations | others) & table.bit != 0
    }

    /// Whether keys of a table, whose changes are noted, begin with a conversation, of which a query for conversations may
    /// ask.
    private static func isOfConversation(_ table: ViewTable) -> Bool {
        let tables =
            ConversationList.conversations.place.bit | ConversationList.info.place.bit
            | UnreadCounters.counters.place.bit | Members.members.place.bit | Members.lists.place.bit
        return tables & table.bit != 0
    }

    private static let placeBits = 12
    /// How many changes of conversations are remembered.
    private static let lastCount = 1024

    let conversations = KeptConversations()
    /// The folds that were begun; a fold changes rows only while it is the last one.
    private(set) var fold: UInt64 = 0
    /// The last fold that changed a row of each place; after these, in turn, the last changes of conversations: the fold
    /// in the upper half, the conversation in the lower one. In one array, since every read copies the history.
    private var changes = [UInt64](repeating: 0, count: 1 << placeBits + lastCount)
    /// How many changes of conversations there were.
    private var turns = 0

    /// Where changes of the row are noted: that of all rows of its conversation or user, or of its message, and of a
    /// few others. nil for a table whose changes are not noted.
    static func place(_ table: ViewTable, _ key: UnsafeRawBufferPointer) -> Int? {
        guard notes(table), key.count >= 4 else { return nil }
        var part = UInt64(key.loadUnaligned(as: UInt32.self).bigEndian)
        // The last four bytes of a position differ from message to message.
        if table == Messages.states.place, key.count == 8 {
            part = key.loadUnaligned(as: UInt64.self).bigEndian
        }
        let mixed = (part ^ UInt64(table.rawValue) << 48) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> UInt64(64 - placeBits))
    }

    mutating func beginFold() { fold += 1 }

    /// Notes that the row of a key changes.
    mutating func note(_ table: ViewTable, _ key: UnsafeRawBufferPointer) {
        guard let place = Self.place(table, key) else { return }
        changes[place] = fold
        guard Self.isOfConversation(table) else { return }
        let conversation = UInt64(key.loadUnaligned(as: UInt32.self).bigEndian)
        changes[Self.place(ofTurn: turns)] = fold << 32 | conversation
        turns += 1
    }

    private static func place(ofTurn turn: Int) -> Int { 1 << placeBits + turn % lastCount }

    /// The conversations of which a query may find others, or count something else, than after `fold`; nil where there
    /// are too many to know.
    func conversationsChanged(since fold: UInt64) -> Set<ConversationNumber>? {
        guard fold <= self.fold, self.fold <= UInt32.max else { return nil }
        var changed: Set<ConversationNumber> = []
        for turn in stride(from: turns - 1, through: max(0, turns - Self.lastCount), by: -1) {
            let change = changes[Self.place(ofTurn: turn)]
            if change >> 32 <= fold { return changed }
            changed.insert(ConversationNumber(rawValue: UInt32(truncatingIfNeeded: change)))
        }
        return turns > Self.lastCount ? nil : changed
    }

    /// Whether no row of some places was changed by a later fold than `fold`, which is one of this history.
    func isUnchanged(_ places: [UInt16], since fold: UInt64) -> Bool {
        // The rows that a later fold left are not those that these views show.
        guard fold <= self.fold else { return false }
        return places.allSatisfy { changes[Int($0)] <= fold }
    }
}
