/// A page of the conversation list at one position, and the totals there.
struct DebugList {
    /// The rows of a list that are shown at a time.
    static let pageSize = 60

    let totals: Unread.Output
    let order: [ConversationKey]
    private(set) var conversations: [ConversationKey: ConversationOutput]
    let hasMore: Bool

    /// - Parameters:
    ///   - skipped: Conversations that are left out before the first.
    ///   - views: The views at the position.
    init(after skipped: Int = 0, _ views: borrowing Views) throws {
        totals = try Unread.output(views)
        var (left, cursor) = (skipped, ConversationCursor?.none)
        while left > 0 {
            let page = try views.conversations(
                archived: .included, after: cursor, limit: min(left, Views.pageLimits.upperBound))
            guard let next = page.next else {
                (order, conversations, hasMore) = ([], [:], false)
                return
            }
            (left, cursor) = (left - page.elements.count, next)
        }
        let page = try views.conversations(archived: .included, after: cursor, limit: Self.pageSize)
        order = page.elements.map(\.key)
        conversations = Dictionary(
            page.elements.map { ($0.key, ConversationOutput($0)) }, uniquingKeysWith: { first, _ in first })
        hasMore = page.next != nil
    }

    /// Whether another position's list shows conversations that are not in this one.
    func lacksRows(of other: DebugList) -> Bool { other.order.contains { conversations[$0] == nil } }

    /// Adds what another position's list shows, as it is here.
    mutating func add(_ other: DebugList, _ views: borrowing Views) throws {
        for key in other.order where conversations[key] == nil {
            conversations[key] = try views.conversation(key).map { ConversationOutput($0) }
        }
    }
}
