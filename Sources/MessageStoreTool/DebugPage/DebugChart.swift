/// The course of a counter over a part of the log, a part of it at a time.
struct DebugChart: Encodable {
    /// A number that can be drawn.
    enum Counter: String {
        case badge, total, mentions, conversations, unread
    }

    /// The page's request.
    struct Question: Sendable {
        let counter: Counter
        let conversation: ConversationKey?
        /// Where to begin, or to go on.
        let first: Position
        let last: Position
        /// Positions from one point to the next.
        let step: UInt64
    }

    /// Pairs of a position and the number there.
    private(set) var points: [[Int]] = []
    /// Where to go on; nil at the end.
    private(set) var next: Position?

    init(_ question: Question, in session: ReplaySession) throws {
        let start = ContinuousClock.now
        var position = question.first
        while true {
            let value = try session.read(at: position) { try question.value($0) }
            points.append([Int(clamping: position.rawValue), value])
            guard position < question.last else { return }
            position = min(Position(position.rawValue + question.step), question.last)
            guard start.duration(to: .now) < DebugSession.patience else {
                next = position
                return
            }
        }
    }
}

extension DebugChart.Question {
    init(_ request: DebugRequest) throws {
        guard let counter = DebugChart.Counter(rawValue: request["of"] ?? "badge") else {
            throw ToolError.usage("of takes badge, total, mentions, conversations or unread")
        }
        self.counter = counter
        conversation = try request.conversation()
        if counter == .unread, conversation == nil { throw ToolError.usage("a conversation is needed") }
        guard let first = try request.position("from"), let last = try request.position("to"), first <= last else {
            throw ToolError.usage("from and to are needed, in this order")
        }
        (self.first, self.last) = (first, last)
        step = UInt64(try request.number("step", in: 1...Int(UInt32.max), else: 1))
    }

    func value(_ views: borrowing Views) throws -> Int {
        if counter == .unread, let conversation { return try views.unread(of: conversation).messages }
        let totals = try views.unreadTotals()
        switch counter {
        case .badge: return totals.badge
        case .mentions: return totals.mentions
        case .conversations: return totals.conversations
        case .total, .unread: return totals.messages
        }
    }
}
