@_spi(Storage) internal import MessageStoreLog

extension ConversationNumber: SpreadKey {
    /// Numbers are dense; the multiplier is the golden ratio's (Knuth 1973, "Sorting and Searching", 6.4).
    @inline(__always) package var spread: UInt64 { UInt64(rawValue) &* 0x9E37_79B9_7F4A_7C15 }
}

/// What a projection keeps decoded of the conversations that events touch, in the order of their first touch.
///
/// Most events follow one of the same conversation, which then costs no look-up.
struct ConversationCache<Entry> {
    private var table = KeyTable<ConversationNumber>()
    private(set) var entries: [Entry] = []
    private var last = 0

    var conversations: [ConversationNumber] { table.keys }

    /// Where a conversation's entry is, or nil.
    mutating func slot(of conversation: ConversationNumber) -> Int? {
        if last < table.keys.count, table.keys[last] == conversation { return last }
        guard let slot = table.number(of: conversation) else { return nil }
        last = slot
        return slot
    }

    /// Adds the entry of a conversation that has none; answers where it is.
    mutating func insert(_ entry: Entry, of conversation: ConversationNumber) -> Int {
        last = table.insert(conversation)
        entries.append(entry)
        return last
    }

    subscript(slot: Int) -> Entry {
        _read { yield entries[slot] }
        _modify { yield &entries[slot] }
    }

    mutating func removeAll() {
        table.removeAll()
        entries.removeAll(keepingCapacity: true)
    }
}

extension [UInt8] {
    /// Makes the bytes those of `span`, in the room that is there.
    mutating func set(_ span: RawSpan) {
        span.withUnsafeBytes { new in
            // Orders mostly follow one of the same length.
            if new.count == count {
                withUnsafeMutableBytes { $0.copyMemory(from: new) }
            } else {
                removeAll(keepingCapacity: true)
                append(contentsOf: new)
            }
        }
    }
}
