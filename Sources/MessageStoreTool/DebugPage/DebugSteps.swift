/// What a user saw from one position to the next, as the changes of each step.
struct DebugSteps {
    /// The values that are new, or other than before.
    struct Step: Encodable {
        var totals: Unread.Output?
        var list: [String]?
        var conversations: [String: ConversationOutput] = [:]
        var unread: [String: UnreadOutput] = [:]
        var marks: [String: DebugMarks] = [:]
        var timelines: [String: [UInt64]] = [:]
        var messages: [String: MessageOutput] = [:]
        var changes: [JSONObject] = []
        var notes: [String] = []
        /// The timeline of the event's conversation around a message that it changed, where that is none of the newest.
        var around: Around?
    }

    /// A part of a timeline with what the event changed.
    struct Around: Encodable {
        let messages: [JSONObject]
        let marks: DebugMarks
    }

    /// The messages that are shown around one.
    private static let around = 30

    private var list: DebugList?
    private var timelines: [ConversationKey: DebugTimeline] = [:]
    /// Contents of rows and their numbers.
    private var versions: [String: Int] = [:]

    /// All that is shown at the first position.
    mutating func begin(_ views: borrowing Views) throws -> Step {
        var step = Step()
        try update(nil, views, &step)
        return step
    }

    /// The changes of an event.
    mutating func next(
        _ conversation: ConversationKey?, _ changes: [RowDifference], _ views: borrowing Views
    ) throws -> Step {
        var step = Step()
        // Words do not say all of a row, so the page compares two positions by numbers of contents, 0 where there is no
        // row.
        step.changes = changes.map { change in
            let versions = [version(change.first), version(change.second)]
            return JSONObject(change.object(first: "before", second: "after"), ["versions": versions])
        }
        guard !changes.isEmpty else { return step }
        try update(conversation, views, &step)
        let changed = changes.compactMap(\.message)
        if let key = conversation, let place = try timelines[key]?.missedPlace(changed, in: key, views) {
            let page = try DebugTimeline(of: key, around: place, limit: Self.around, views)
            let messages = page.order.compactMap { id in
                page.messages[id].map { JSONObject($0, isChanged: changed.contains(id)) }
            }
            step.around = Around(messages: messages, marks: page.marks)
        }
        return step
    }

    private mutating func version(_ content: String?) -> Int {
        guard let content else { return 0 }
        if let number = versions[content] { return number }
        versions[content] = versions.count + 1
        return versions.count
    }

    /// - Parameter conversation: Whose messages may have changed; nil where it may be those of any conversation.
    private mutating func update(
        _ conversation: ConversationKey?, _ views: borrowing Views, _ step: inout Step
    ) throws {
        let now = try DebugList(views)
        if list?.totals != now.totals { step.totals = now.totals }
        if list?.order != now.order { step.list = now.order.map(\.description) }
        for (key, row) in now.conversations where list?.conversations[key] != row {
            step.conversations[key.description] = row
        }
        list = now
        let shown = Set(now.order).union(timelines.keys)
        for key in conversation.map({ shown.subtracting(timelines.keys).union([$0]) }) ?? shown {
            try update(timelineOf: key, views, &step)
        }
    }

    private mutating func update(
        timelineOf key: ConversationKey, _ views: borrowing Views, _ step: inout Step
    ) throws {
        let now = try DebugTimeline(of: key, views)
        let before = timelines[key]
        if before?.unread != now.unread { step.unread[key.description] = now.unread }
        if before?.marks != now.marks { step.marks[key.description] = now.marks }
        if before?.order != now.order { step.timelines[key.description] = now.order.map(\.rawValue) }
        for (id, row) in now.messages where before?.messages[id] != row { step.messages[id.description] = row }
        timelines[key] = now
    }
}
