@_spi(Storage) internal import MessageStoreLog

/// A part of the conversations, whose events are folded apart from those of the others.
///
/// Rows of a conversation follow from its own events and those of the account. So each part folds these two; the rows
/// of projections of the account are whole in the first one, which folds all events that they follow from.
struct FoldShard: Sendable {
    /// The projections whose rows are about the account or users.
    static let accountProjections: [ProjectionID] = [.profiles, .teams, .contacts, .syncState, .unknownEvents]

    let index: Int
    let count: Int

    var isFirst: Bool { index == 0 }

    /// Whether an event is of one of the conversations, or of the account.
    @inline(__always)
    func owns(_ record: RecordView) -> Bool {
        let conversation = record.conversationNumber
        return conversation == .none || owns(conversation)
    }

    /// Whether a conversation is one of the part.
    @inline(__always)
    func owns(_ conversation: ConversationNumber) -> Bool { Self.index(of: conversation, count: count) == index }

    /// The part of a conversation, by Knuth's multiplicative hash: conversations that began one after the other are in
    /// different ones.
    @inline(__always)
    private static func index(of conversation: ConversationNumber, count: Int) -> Int {
        Int((UInt64(conversation.rawValue &* 2_654_435_761) &* UInt64(count)) &>> 32)
    }
}

extension FoldShard {
    /// A row that a part has, nil where it deleted it.
    typealias PartRow = (part: Int, row: [UInt8]?)

    /// The tables with rows that are sums over conversations: numbers of eight bytes.
    private static let sums = [UnreadCounters.totals.place, MessageDetails.fileTotals.place]

    /// The row of a key of which several parts have rows, each folded over the same base.
    static func row(
        merging rows: [PartRow], of count: Int, _ table: ViewTable, _ key: RawSpan, over base: borrowing ViewSnapshot
    ) throws -> [UInt8]? {
        if sums.contains(table) { return sum(rows, over: try base.row(table, key)?.copied) }
        // An event of the account is folded by all parts, with the same result but for a change of a conversation.
        if rows.allSatisfy({ $0.row == rows[0].row }) { return rows[0].row }
        guard table == PendingChanges.changes.place, let key = PendingChangeKey(key: key),
            let own = rows.first(where: { $0.part == index(of: key.conversation, count: count) })
        else { throw BrokenInvariant(description: "two parts of the conversations have a row of \(table.name)") }
        return own.row
    }

    /// What is in the base, and by how much each part changed it.
    private static func sum(_ rows: [PartRow], over base: [UInt8]?) -> [UInt8]? {
        func numbers(_ row: [UInt8]?) -> [UInt64] {
            let bytes = row ?? []
            return stride(from: 0, to: bytes.count, by: 8).map { bytes.span.bytes.load(at: $0, as: UInt64.self) ?? 0 }
        }
        let (rows, base) = (rows.map { numbers($0.row) }, numbers(base))
        let count = max(rows.map(\.count).max() ?? 0, base.count)
        let sum = (0..<count).map { place in
            let before = place < base.count ? base[place] : 0
            return rows.reduce(before) { $0 &+ (place < $1.count ? $1[place] : 0) &- before }
        }
        return sum.allSatisfy { $0 == 0 }
            ? nil : sum.flatMap { value in withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    }
}
