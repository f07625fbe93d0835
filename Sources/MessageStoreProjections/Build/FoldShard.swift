@_spi(Storage) internal import MessageStoreLog

/// A part of the conversations, whose events are folded apart from those of the others.
///
/// Rows of a conversation follow from its own events and those of the account. So each part folds these two; the rows
/// of projections of the account are whole in the first one, which folds all events that they follow from.
struct FoldShard: Sendable {
    let index: Int
    let count: Int

    var isFirst: Bool { index == 0 }

    /// Whether an event is of one of the conversations, or of the account.
    @inline(__always)
    func owns(_ record: RecordView) -> Bool {
        let conversation = record.conversationNumber
        return conversation == .none || Self.index(of: conversation, count: count) == index
    }

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
        if sums.contains(table) { return try sum(rows, over: base.row(table, key)?.copied, table, key) }
        // An event of the account is folded by all parts, with the same result but for a change of a conversation.
        if rows.allSatisfy({ $0.row == rows[0].row }) { return rows[0].row }
        guard table == PendingChanges.changes.place, let key = PendingChangeKey(key: key),
            let own = rows.first(where: { $0.part == index(of: key.conversation, count: count) })
        else { throw BrokenInvariant(description: "two parts of the conversations have a row of \(table.name)") }
        return own.row
    }

    private static func sum(
        _ rows: [PartRow], over base: [UInt8]?, _ table: ViewTable, _ key: RawSpan
    ) throws -> [UInt8]? {
        let numbers = (rows.map(\.row) + [base]).map { row in
            row.map { bytes in
                stride(from: 0, to: bytes.count, by: 8).map { bytes.span.bytes.load(at: $0, as: UInt64.self) ?? 0 }
            } ?? []
        }
        var sum = [UInt64](repeating: 0, count: numbers.map(\.count).max() ?? 0)
        for place in sum.indices {
            let values = numbers.map { place < $0.count ? $0[place] : 0 }
            let all = values.dropLast().reduce((UInt64(0), false)) { sum, value in
                let next = sum.0.addingReportingOverflow(value)
                return (next.partialValue, sum.1 || next.overflow)
            }
            // Each part counts what is in the base.
            let twice = values[rows.count].multipliedReportingOverflow(by: UInt64(rows.count - 1))
            let rest = all.0.subtractingReportingOverflow(twice.partialValue)
            guard !all.1, !twice.overflow, !rest.overflow else { throw StoreError.impossibleCount(in: table, at: key) }
            sum[place] = rest.partialValue
        }
        return sum.allSatisfy { $0 == 0 }
            ? nil : sum.flatMap { value in withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    }
}
