internal import MessageStoreLMDB

/// Unread totals of the conversations of some conditions, kept as sums that follow the changes; and folders, whose
/// conditions are long to read.
///
/// A sum is made of what each conversation adds. A read looks again at the conversations that changed since the last
/// one, so that it costs what changed and not what the condition costs. Nothing of it is in the views' rows: no fold
/// pays for folders that nobody asks for.
final class KeptTotals: Sendable {
    /// When there are more conditions, or sums of more parts together, all are let go.
    private static let maximumCount = 64
    private static let maximumParts = 1 << 17

    struct Question: Hashable {
        let condition: ConversationCondition
        let includesMuted: Bool
        /// The bytes of the condition's strings: strings that are equal can have others.
        private let spelling: [UInt8]

        init(_ condition: ConversationCondition, includesMuted: Bool) {
            (self.condition, self.includesMuted, spelling) = (condition, includesMuted, condition.spelling)
        }
    }

    private let totals = Locked<[Question: KeptTotal]>([:])
    private let folders = Locked<[Position: ConversationFolder]>([:])

    /// The sum as of a history, after `body` has looked again at the conversations that changed; nil if nobody knows
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
        guard total.parts.count <= Self.maximumParts / 2 else { return }
        totals.withLock { totals in
            guard totals[question].map({ $0.fold <= total.fold }) ?? true else { return }
            totals[question] = nil
            let parts = totals.values.reduce(total.parts.count) { $0 + $1.parts.count }
            if totals.count >= Self.maximumCount || parts > Self.maximumParts { totals.removeAll() }
            totals[question] = total
        }
    }
}

extension ConversationCondition {
    /// The bytes of the strings that are compared byte for byte, in their order.
    fileprivate var spelling: [UInt8] {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.spelling)
        case .not(let condition): condition.spelling
        case .tagged(let tag): Array(tag.utf8) + [0xFF]
        case .property(.attribute(let name), let value): Array(name.utf8) + [0xFF] + value.spelling
        case .property(_, let value): value.spelling
        case .containsAny, .containsAll, .exactMembers, .kinds: []
        }
    }
}

extension ValueCondition {
    fileprivate var spelling: [UInt8] {
        switch self {
        case .hasPrefix(let string), .hasSuffix(let string): Array(string.utf8) + [0xFF]
        default:
            operands.flatMap { operand -> [UInt8] in
                if case .string(let string) = operand { Array(string.utf8) + [0xFF] } else { [] }
            }
        }
    }
}

/// A sum of unread counts, and its parts.
struct KeptTotal {
    /// The last fold before it was read.
    fileprivate(set) var fold: UInt64
    /// When it was read, by the clock that ends muting.
    var moment: Timestamp
    private(set) var sum = UnreadTotal()
    /// The part of each conversation that adds anything.
    fileprivate private(set) var parts: [ConversationNumber: UnreadTotal] = [:]

    init(fold: UInt64, moment: Timestamp) { (self.fold, self.moment) = (fold, moment) }

    /// Replaces the part of a conversation.
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
