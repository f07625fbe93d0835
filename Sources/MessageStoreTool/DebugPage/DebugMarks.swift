/// The marks that a timeline shows between its messages: where messages may be missing, and up to where others have
/// read.
struct DebugMarks: Encodable, Equatable {
    /// Up to where somebody has read this account's messages.
    struct Reader: Encodable, Equatable {
        /// Nil where the server does not say who.
        let user: UserID?
        let name: String?
        let upTo: Timestamp
    }

    /// The readers that are shown, those who are furthest.
    static let maximumReaders = 50

    /// The messages before which others may be missing.
    let gaps: [UInt64]
    let endsInGap: Bool
    let readers: [Reader]

    /// - Parameters:
    ///   - key: The conversation.
    ///   - page: The messages that are shown of it.
    ///   - views: The views at the position.
    init(of key: ConversationKey, _ page: TimelinePage, _ views: borrowing Views) throws {
        let shown = Set(page.messages.map(\.id))
        var (gaps, endsInGap) = ([UInt64](), false)
        try views.forEachGap(in: key) { gap in
            if let after = gap.after, shown.contains(after) { gaps.append(after.rawValue) }
            if gap.after == nil, !page.hasNewer, !page.messages.isEmpty { endsInGap = true }
        }
        var (marks, latest) = ([(user: UserID, upTo: Timestamp)](), Timestamp.unknown)
        try views.forEachReadWatermark(in: key) { user, time in
            if let user { marks.append((user, time)) } else { latest = time }
        }
        marks = marks.ordered { ($0.upTo, $1.user.rawValue) > ($1.upTo, $0.user.rawValue) }
        let isUnnamed = marks.first.map { $0.upTo < latest } ?? (latest != .unknown)
        // Those who have not read as far as the page begins are not on it.
        let start = page.hasOlder ? page.messages.first?.time ?? .unknown : .unknown
        let named = try marks.prefix(Self.maximumReaders).map { mark in
            Reader(user: mark.user, name: try views.displayName(of: mark.user, in: key), upTo: mark.upTo)
        }
        readers = ((isUnnamed ? [Reader(user: nil, name: nil, upTo: latest)] : []) + named).filter { $0.upTo >= start }
        (self.gaps, self.endsInGap) = (gaps, endsInGap)
    }
}
