/// What a user saw at a position, with what its event changed.
struct DebugState: Encodable {
    /// The page's request.
    struct Question: Sendable {
        let position: Position
        /// The conversation whose timeline is wanted.
        var conversation: ConversationKey?
        /// Whether the event's own conversation is wanted in place of it, if it has one.
        let follows: Bool
        /// The newest messages, or those before this one.
        let before: LocalMessageID?
        /// Whether the newest messages are wanted, even where the event changed others.
        let wantsNewest: Bool
        /// Conversations of the list that are left out before the first.
        let skipped: Int
    }

    /// A conversation's timeline and what is unread of it.
    struct Timeline: Encodable {
        let conversation: String
        let unread: JSONObject
        let marks: DebugMarks
        /// Whose marks moved.
        let moved: [UserID?]
        let messages: [JSONObject]
        let hasOlder: Bool
        let hasNewer: Bool
    }

    let position: Position
    let totals: JSONObject
    let conversations: [JSONObject]
    let hasMore: Bool
    let timeline: Timeline?
    var changes: DebugChanges

    /// Reads the position before, what differs, and the position, in this order: a session goes forth at no cost.
    ///
    /// - Parameter base: Nothing is known before.
    init(_ question: Question, in session: ReplaySession, from base: Position) throws {
        let position = question.position
        let before = Position(max(position.rawValue, base.rawValue + 1) - 1)
        var earlier = try session.read(at: before) { try Moment(question, $0) }
        let changes = try DebugChanges(from: before, to: position, in: session)
        var (now, place) = try session.read(at: position) {
            let now = try Moment(question, $0)
            return (now, try now.missedPlace(changes, question, $0))
        }
        if let place {
            now = try session.read(at: position) { try Moment(question, around: place, $0) }
            earlier = try session.read(at: before) { try Moment(question, around: place, $0) }
        }
        if earlier.lacksRows(of: now, at: before) {
            try session.read(at: before) { try earlier.add(now, $0) }
        }
        self.init(question, now, earlier, changes)
    }

    /// The lists at one position.
    private struct Moment {
        var list: DebugList
        var timeline: DebugTimeline?

        init(_ question: Question, around place: MessageOrder? = nil, _ views: borrowing Views) throws {
            list = try DebugList(after: question.skipped, views)
            if let key = question.conversation {
                timeline = try DebugTimeline(of: key, before: question.before, around: place, views)
            }
        }

        /// What the timeline is to show in its middle; nil where it is to stay as it is.
        func missedPlace(
            _ changes: DebugChanges, _ question: Question, _ views: borrowing Views
        ) throws -> MessageOrder? {
            guard let key = question.conversation, question.before == nil, !question.wantsNewest else { return nil }
            return try timeline?.missedPlace(changes.messages, in: key, views)
        }

        func lacksRows(of other: Moment, at position: Position) -> Bool {
            if list.lacksRows(of: other.list) { return true }
            guard let timeline, let later = other.timeline else { return false }
            return timeline.lacksRows(of: later, at: position)
        }

        mutating func add(_ other: Moment, _ views: borrowing Views) throws {
            try list.add(other.list, views)
            if let later = other.timeline { try timeline?.add(later, views) }
        }
    }

    private init(_ question: Question, _ now: Moment, _ earlier: Moment, _ changes: DebugChanges) {
        position = question.position
        totals = JSONObject(now.list.totals, isChanged: earlier.list.totals != now.list.totals)
        conversations = now.list.order.compactMap { key in
            now.list.conversations[key].map {
                JSONObject($0, isChanged: earlier.list.conversations[key] != $0)
            }
        }
        hasMore = now.list.hasMore
        self.changes = changes
        guard let key = question.conversation, let page = now.timeline else {
            timeline = nil
            return
        }
        timeline = Timeline(
            conversation: key.description,
            unread: JSONObject(page.unread, isChanged: earlier.timeline?.unread != page.unread),
            marks: page.marks,
            moved: page.marks.readers.filter { earlier.timeline?.marks.readers.contains($0) != true }.map(\.user),
            messages: page.order.compactMap { id in
                page.messages[id].map { JSONObject($0, isChanged: earlier.timeline?.messages[id] != $0) }
            }, hasOlder: page.hasOlder, hasNewer: page.hasNewer)
    }
}

extension DebugState.Question {
    init(_ request: DebugRequest) throws {
        guard let position = try request.position("at") else { throw ToolError.usage("at is needed") }
        self.position = position
        conversation = try request.conversation()
        follows = request["follow"] != nil
        before = try request.position("before").map { LocalMessageID($0.rawValue) }
        wantsNewest = request["newest"] != nil
        skipped = try request.number("skip", in: 0...1_000_000, else: 0)
    }
}
