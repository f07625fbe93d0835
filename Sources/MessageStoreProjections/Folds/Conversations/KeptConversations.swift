internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// Conversations as the list showed them, to be handed out again as long as no row changes that they were made of.
final class KeptConversations: Sendable {
    /// As many as the largest page holds; when there are more, all are let go.
    private static let maximumCount = 1024

    private struct State {
        var conversations: [ConversationNumber: KeptConversation] = [:]
        var reuseCount = 0
    }

    /// The totals of folders and other conditions.
    let totals = KeptTotals()
    private let state = Locked(State())

    /// How often a conversation was handed out again.
    var reuseCount: Int { state.withLock { $0.reuseCount } }

    /// The conversation as it was assembled last; nil if that is not what the rows of a history are now.
    func conversation(_ number: ConversationNumber, in history: borrowing RowHistory) -> KeptConversation? {
        state.withLock { state in
            guard let kept = state.conversations[number], history.isUnchanged(kept.places, since: kept.fold) else {
                return nil
            }
            state.reuseCount += 1
            return kept
        }
    }

    /// Keeps a conversation, unless one is kept that was read later.
    func keep(_ kept: KeptConversation, _ number: ConversationNumber) {
        state.withLock { state in
            guard state.conversations[number].map({ $0.fold <= kept.fold }) ?? true else { return }
            if state.conversations.count >= Self.maximumCount, state.conversations[number] == nil {
                state.conversations.removeAll(keepingCapacity: true)
            }
            state.conversations[number] = kept
        }
    }
}

/// A conversation as it was assembled; a reference, since a conversation has many fields to copy.
final class KeptConversation: Sendable {
    let conversation: Conversation
    /// The slots that mark changes of the rows that it was made of.
    fileprivate let places: [UInt16]
    /// The last fold before it was read.
    fileprivate let fold: UInt64

    init(conversation: Conversation, places: [UInt16] = [], fold: UInt64 = 0) {
        self.conversation = conversation
        self.places = places
        self.fold = fold
    }
}

extension ViewSnapshot {
    /// A conversation that was kept, if nothing changed since that it was made of; else what `assemble` makes of the
    /// rows, which is kept.
    borrowing func kept(
        _ number: ConversationNumber, _ assemble: () throws -> Conversation?
    ) throws -> KeptConversation? {
        guard let history = scope.keepingHistory else {
            return try assemble().map { KeptConversation(conversation: $0) }
        }
        if let kept = history.kept.conversation(number, in: history) { return kept }
        reads.begin()
        defer { reads.end() }
        guard let conversation = try assemble() else { return nil }
        guard let places = reads.end() else { return KeptConversation(conversation: conversation) }
        let kept = KeptConversation(conversation: conversation, places: places, fold: history.fold)
        history.kept.keep(kept, number)
        return kept
    }
}

extension ConversationNumber: SpreadKey {
    /// Numbers are dense; the multiplier is the golden ratio's (Knuth 1973, "Sorting and Searching", 6.4).
    @inline(__always) package var spread: UInt64 { UInt64(rawValue) &* 0x9E37_79B9_7F4A_7C15 }
}

/// Entries that a projection keeps decoded of the conversations that events touch, in the order of their first touch.
///
/// Most events follow one of the same conversation, which then costs no look-up.
struct ConversationCache<Entry> {
    private var table = KeyTable<ConversationNumber>()
    private(set) var entries: [Entry] = []
    private var last = 0

    var conversations: [ConversationNumber] { table.keys }

    /// The slot of a conversation's entry, or nil.
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
    /// Replaces the bytes by the bytes of `span`, in the room that is there.
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
