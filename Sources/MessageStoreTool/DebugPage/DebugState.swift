/// The state that a user saw at a position, with the changes by its event.
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
        /// Whether the newest messages are wanted, even if the event changed others.
        let wantsNewest: Bool
        /// Conversations of the list that are left out before the first.
        let skipped: Int
    }

    /// A conversation's timeline and its unread count.
    struct Timeline: Encodable {
        let conversation: String
        let unread: JSONObject
        let marks: DebugMarks
        /// The users whose marks moved.
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

    /// Reads the position before, the differences, and the position, in this order: a session goes forth at no cost.
    ///
    /// - Parameter replayStart: Nothing is known before.
    init(_ question: Question, in session: ReplaySession, from replayStart: Position) throws {
        let position = question.position
        let before = Position(max(position.rawValue, replayStart.rawValue + 1) - 1)
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

        /// The place that the timeline is to show in its middle; nil if it is to stay as it is.
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
        var (left, cursor) = (skipped, PageCursor?.none)
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

    /// Adds the rows of another position's list, as they are here.
    mutating func add(_ other: DebugList, _ views: borrowing Views) throws {
        for key in other.order where conversations[key] == nil {
            conversations[key] = try views.conversation(key).map { ConversationOutput($0) }
        }
    }
}

/// A page of one conversation's messages at one position, and its unread count.
struct DebugTimeline {
    let unread: UnreadOutput
    let marks: DebugMarks
    let order: [LocalMessageID]
    private(set) var messages: [LocalMessageID: MessageOutput]
    let hasOlder: Bool
    let hasNewer: Bool

    /// - Parameters:
    ///   - key: The conversation.
    ///   - before: The message before which the page ends; the newest messages if it is nil, or not there yet.
    ///   - place: The middle of the page; nil for a page that ends before a message, or with the newest.
    ///   - views: The views at the position.
    init(
        of key: ConversationKey, before: LocalMessageID? = nil, around place: MessageOrder? = nil,
        limit: Int = DebugList.pageSize, _ views: borrowing Views
    ) throws {
        unread = UnreadOutput(try views.unread(of: key))
        let anchor = try before.flatMap { id in
            try id.rawValue <= views.position.rawValue && views.message(id)?.conversation == key ? id : nil
        }
        let part = place.map { .around(.order($0)) } ?? anchor.map { TimelinePart.before(.message(.local($0))) }
        let page = try views.timeline(of: key, part ?? .latest, limit: limit, onDamage: { _ in })
        var messages: [LocalMessageID: MessageOutput] = [:]
        for message in page.elements { messages[message.id] = try MessageOutput(message, views) }
        marks = try DebugMarks(of: key, page, views)
        (order, self.messages) = (page.elements.map(\.id), messages)
        (hasOlder, hasNewer) = (page.hasOlder, page.hasNewer)
    }

    /// The place of the newest message that changed, if the page shows no changed one.
    func missedPlace(
        _ changed: [LocalMessageID], in key: ConversationKey, _ views: borrowing Views
    ) throws -> MessageOrder? {
        guard hasOlder, !changed.contains(where: { messages[$0] != nil }) else { return nil }
        let found = changed.compactMap { try? views.message($0) }.filter { $0.conversation == key }
        return found.map { MessageOrder(time: $0.time, id: $0.serverID) }.max()
    }

    /// Whether another position's page shows messages that were there at this one, beyond its own page.
    func lacksRows(of other: DebugTimeline, at position: Position) -> Bool {
        other.order.contains { messages[$0] == nil && $0.rawValue <= position.rawValue }
    }

    /// Adds the messages of another position's page, as they are here.
    mutating func add(_ other: DebugTimeline, _ views: borrowing Views) throws {
        for id in other.order where messages[id] == nil && id.rawValue <= views.position.rawValue {
            messages[id] = try views.message(id).map { try MessageOutput($0, views) }
        }
    }
}

/// The unread count of a conversation and its reasons, as JSON.
struct UnreadOutput: Encodable, Equatable {
    /// The server's report.
    struct Report: Encodable, Equatable {
        let messages: Int
        let mentions: Int
        let upTo: MessageOrder?
        let time: Timestamp?
    }

    let messages: Int
    let mentions: Int
    let markedUnread: Bool
    /// Whether messages may be missing above the read marker.
    let lowerBound: Bool
    let readUpTo: MessageOrder?
    let report: Report?

    init(_ count: UnreadCount) {
        (messages, mentions, markedUnread) = (count.messages, count.mentions, count.isMarkedUnread)
        (lowerBound, readUpTo) = (count.isLowerBound, count.readUpTo)
        report = count.report.map {
            Report(messages: Int($0.count), mentions: Int($0.mentions), upTo: $0.upTo, time: $0.time)
        }
    }
}
