/// The file of an attachment that this device keeps, or that it is gone.
struct LocalFileRow: ViewRow {
    /// The last event that recorded it, which has the path.
    var position: UInt64 = 0
    /// The first event that recorded it since it was last recorded as gone; 0 where it is gone.
    var since: UInt64 = 0
    var byteCount: UInt64 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("position", &position)
        parts.part("since", &since)
        parts.part("byteCount", &byteCount)
    }
}

extension LocalFileRow {
    /// The row where the file is there.
    var kept: LocalFileRow? { since == 0 ? nil : self }

    /// Of what was recorded under two names the last applies; the file is as old as the older record.
    mutating func join(_ other: LocalFileRow) {
        let oldest = [self, other].compactMap(\.kept).map(\.since).min()
        if other.position > position { self = other }
        if let oldest, kept != nil { since = oldest }
    }
}

/// How many files this device keeps.
struct LocalFileTotal: ViewRow {
    var count: UInt64 = 0
    var byteCount: UInt64 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("count", &count)
        parts.part("byteCount", &byteCount)
    }

    /// The total with one file in the place of another; nil where a count would be below zero or past its width.
    func replacing(_ old: LocalFileRow?, by row: LocalFileRow?) -> LocalFileTotal? {
        let fewer = count.subtractingReportingOverflow(old == nil ? 0 : 1)
        let less = byteCount.subtractingReportingOverflow(old?.byteCount ?? 0)
        let more = fewer.partialValue.addingReportingOverflow(row == nil ? 0 : 1)
        let larger = less.partialValue.addingReportingOverflow(row?.byteCount ?? 0)
        guard !fewer.overflow, !less.overflow, !more.overflow, !larger.overflow else { return nil }
        return LocalFileTotal(count: more.partialValue, byteCount: larger.partialValue)
    }
}

extension LocalFileOrder {
    /// The place of a file among others, the lowest first; its last byte is the attachment's index.
    func rank(byteCount: UInt64, since: UInt64, index: UInt8) -> UInt64 {
        switch self {
        case .largestFirst: ~byteCount << 8 | UInt64(index)
        case .oldestFirst: since << 8 | UInt64(index)
        }
    }
}

extension LocalFileOrder: RowValue {
    init?(stored: UInt8) {
        guard (1...2).contains(stored) else { return nil }
        self = stored == 1 ? .largestFirst : .oldestFirst
    }

    var stored: UInt8 { self == .largestFirst ? 1 : 2 }
}

/// The key of a row of `localFileOrder`: the files of a conversation, or of all where there is none, the lowest rank
/// first.
struct RankedFileKey: ViewKey {
    var scope = ConversationNumber.none
    var order = LocalFileOrder.largestFirst
    var rank: UInt64 = 0
    var conversation = ConversationNumber.none
    var name = MessageName.server([])

    /// The index of the attachment.
    var index: UInt8 { UInt8(truncatingIfNeeded: rank) }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("scope", &scope)
        parts.part("order", &order)
        parts.part("rank", &rank)
        parts.part("conversation", &conversation, .conversation)
        parts.message(&name)
    }

    var isPlausible: Bool { name != .server([]) }

    static var forms: [RankedFileKey] { MessageName.forms.map { RankedFileKey(name: $0) } }
}
