internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// What is unread over the conversations of some conditions, kept as sums that follow what changes; and folders, whose
/// conditions are long to read.
///
/// A sum is made of what each conversation adds. A read looks again at the conversations that changed since the last
/// one, so that it costs what changed and not what the condition costs. Nothing of it is in the views' rows: no fold
/// pays for folders that nobody asks for.
final class KeptTotals: Sendable {
    /// When there are more conditions, all are let go; a sum of more parts is not kept.
    private static let maximumCount = 64
    private static let maximumParts = 1 << 16

    struct Question: Hashable {
        let condition: ConversationCondition
        let includesMuted: Bool
    }

    private let totals = Locked<[Question: KeptTotal]>([:])
    private let folders = Locked<[Position: ConversationFolder]>([:])

    /// The sum as of a history, after `body` has looked again at the conversations that changed; nil where nobody knows
    /// which did.
    func sum(
        of question: Question, in history: borrowing RowHistory,
        _ body: (_ changed: Set<ConversationNumber>, _ total: inout KeptTotal) throws -> Void
    ) throws -> UnreadTotal? {
        try totals.withLock { totals in
            // Taken out, so that it is changed in place, and is gone where that fails.
            guard let fold = totals[question]?.fold, let changed = history.conversationsChanged(since: fold),
                var total = totals.removeValue(forKey: question)
            else { return nil }
            try body(changed, &total)
            total.fold = history.fold
            totals[question] = total
            return total.sum
        }
    }

    /// The folder that an event makes, once it was read.
    func folder(at position: Position, _ read: () throws -> ConversationFolder) throws -> ConversationFolder {
        if let folder = folders.withLock({ $0[position] }) { return folder }
        let folder = try read()
        folders.withLock { folders in
            if folders.count >= Self.maximumCount { folders.removeAll() }
            folders[position] = folder
        }
        return folder
    }

    /// Keeps a sum, unless one is kept that was read later.
    func keep(_ total: KeptTotal, of question: Question) {
        guard total.parts.count <= Self.maximumParts else { return }
        totals.withLock { totals in
            guard totals[question].map({ $0.fold <= total.fold }) ?? true else { return }
            if totals.count >= Self.maximumCount, totals[question] == nil { totals.removeAll() }
            totals[question] = total
        }
    }
}

/// A sum of unread counts, and what it is made of.
struct KeptTotal {
    /// The last fold before it was read.
    fileprivate(set) var fold: UInt64
    /// When it was read, by the clock that ends muting.
    var moment: Timestamp
    private(set) var sum = UnreadTotal()
    /// What each conversation adds that adds anything.
    fileprivate private(set) var parts: [ConversationNumber: UnreadTotal] = [:]

    init(fold: UInt64, moment: Timestamp) { (self.fold, self.moment) = (fold, moment) }

    /// Puts what a conversation adds in the place of what it added before.
    mutating func set(_ part: UnreadTotal, of conversation: ConversationNumber) throws {
        let old = parts[conversation] ?? UnreadTotal()
        guard old != part else { return }
        guard let sum = sum.subtracting(old)?.adding(part), sum.isCountable else {
            throw StoreError.impossibleCount(in: UnreadCounters.counters, at: conversation)
        }
        self.sum = sum
        parts[conversation] = part == UnreadTotal() ? nil : part
    }
}
