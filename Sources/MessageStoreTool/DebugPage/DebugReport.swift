internal import Foundation
internal import MessageStoreCZlib

/// A range of a log with what a user saw at each of its positions, as the page in a file shows it.
///
/// Each step holds only what its event changed: the page puts the states together.
struct DebugReport {
    /// The most events that a file takes.
    static let maximumEvents: UInt64 = 5000

    /// The first of the newest events that a file takes.
    static func newest(upTo last: Position) -> Position {
        Position(max(last.rawValue, maximumEvents) - maximumEvents + 1)
    }

    /// The most rows that the file lists of one event, such as one that adds the members of a large group.
    static let maximumRows = 1000

    private let store: MessageStore
    private let session: ReplaySession
    private var steps = DebugSteps()
    private var parts: [String] = []

    /// - Parameters:
    ///   - store: The store.
    ///   - first: The first event.
    ///   - last: The last event; not before the first.
    ///   - progress: Called with the position reached and the last; throwing ends the work.
    init(
        of store: MessageStore, from first: Position, to last: Position, progress: MessageStore.ReplayProgress
    ) throws {
        self.store = store
        session = try store.replaySession()
        var events: [String] = []
        var types: Set<String> = []
        var names = DebugNames()
        let start = Position(first.rawValue - 1)
        var stepped = [try session.read(at: start, progress: progress) { try JSON.line(steps.begin($0)) }]
        let hosts = HostEvents(try store.eventDescriptions())
        var next = first
        while next <= last {
            let page = try store.events(from: next, to: last, limit: 500)
            // The last ones may have been cut off.
            if page.isEmpty { break }
            for event in page {
                events.append(try JSON.line(DebugEvents.Row(event, hosts)))
                names.note(event, hosts)
                types.insert(hosts.typeName(of: event))
                stepped.append(try step(event))
                try progress(event.position, last)
                next = Position(event.position.rawValue + 1)
            }
        }
        let info: JSONObject = [
            "account": store.account, "first": first, "end": last, "types": types.ordered(),
            "bookkeeping": RowDifference.bookkeeping,
        ]
        parts = [
            "{\"info\":", try JSON.line(info), ",\"names\":",
            try session.read(at: last) { try JSON.line(names.names($0)) }, ",\"events\":[",
            events.joined(separator: ",\n"), "],\n\"steps\":[",
            stepped.joined(separator: ",\n"), "]}",
        ]
    }

    private mutating func step(_ event: RecordedEvent) throws -> String {
        let before = Position(event.position.rawValue - 1)
        let (changes, count) = try session.changes(from: before, to: event.position, limit: Self.maximumRows)
        var step = try session.read(at: event.position) { try steps.next(event.event.conversation, changes, $0) }
        step.notes = try EventNotes(store: store, session: session).lines(event, isWithoutEffect: changes.isEmpty)
        if count > changes.count {
            let all = NumberFormat.count(count, "row", "rows")
            step.notes.append(
                "\(event.position) changed \(all), of which \(NumberFormat.count(changes.count)) are listed")
        }
        return try JSON.line(step)
    }

    /// The page as one file, which loads nothing from anywhere; what it shows is packed.
    func page() throws -> String {
        let bytes = Array(parts.joined().utf8)
        var size = compressBound(uLong(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        guard compress(&packed, &size, bytes, uLong(bytes.count)) == Z_OK else {
            throw ToolError.store("out of memory")
        }
        return PageAssets.page(data: Data(packed.prefix(Int(size))).base64EncodedString())
    }
}

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
        /// The place at which the search begins or continues.
        let first: Position
        let last: Position
        /// Positions from one point to the next.
        let step: UInt64
    }

    /// Pairs of a position and the number there.
    private(set) var points: [[Int]] = []
    /// The place at which the search continues; nil at the end.
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

/// The views of a user from one position to the next, as the changes of each step.
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

    /// - Parameter conversation: Whose messages may have changed; nil if it may be those of any conversation.
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
