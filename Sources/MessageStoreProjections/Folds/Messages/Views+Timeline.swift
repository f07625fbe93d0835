@_spi(Storage) public import MessageStoreLog

extension Views {
    /// A page of a conversation's messages in their order: server time, then server id, unsent ones last.
    ///
    /// Costs a seek and a step for each row, independent of the timeline's length. With `types`, each type costs that;
    /// only if text, notices, actions or tips are among them, the rows of other types are skipped one by one.
    ///
    /// - Parameters:
    ///   - conversation: Whose timeline.
    ///   - part: The part of the timeline.
    ///   - types: Only messages of these types; nil for all.
    ///   - limit: The maximum number of messages, 1 to 1000.
    ///   - onDamage: Called for each message of the page whose record is damaged, which is left out; nil to throw then.
    /// - Returns: An empty page for a conversation without messages.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, `notFound` for an unknown anchor.
    public borrowing func timeline(
        of conversation: ConversationKey, _ part: TimelinePart = .latest, types: Set<ContentType>? = nil,
        limit: Int = 20, onDamage: ((StoreError) throws -> Void)? = nil
    ) throws -> TimelinePage {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return .unknown }
        return try page(part, of: walk(number, types: types), limit: limit, onDamage)
    }

    /// A page of a part of the walk.
    borrowing func page(
        _ part: TimelinePart, of walk: TimelineWalk, limit: Int, _ onDamage: ((StoreError) throws -> Void)? = nil
    ) throws -> TimelinePage {
        switch part {
        case .latest:
            let older = try walk.older(than: nil, limit: limit, snapshot)
            return try page(walk, older.rows.reversed(), from: older.next, to: nil, onDamage)
        case .before(let anchor):
            let order = try order(of: anchor, in: walk.conversation)
            let older = try walk.older(than: order, limit: limit, snapshot)
            let newer = try walk.newer(than: order, limit: 0, isInclusive: true, snapshot)
            return try page(walk, older.rows.reversed(), from: older.next, to: newer.next, onDamage)
        case .after(let anchor):
            let order = try order(of: anchor, in: walk.conversation)
            let newer = try walk.newer(than: order, limit: limit, isInclusive: false, snapshot)
            let older = try walk.older(than: order.next, limit: 0, snapshot)
            return try page(walk, newer.rows, from: older.next, to: newer.next, onDamage)
        case .around(let anchor):
            let order = try order(of: anchor, in: walk.conversation)
            let older = try walk.older(than: order, limit: limit / 2, snapshot)
            let newer = try walk.newer(than: order, limit: limit - older.rows.count, isInclusive: true, snapshot)
            return try page(
                walk, older.rows.reversed() + newer.rows, around: order, from: older.next, to: newer.next, onDamage)
        }
    }

    /// The page of some rows of a walk.
    ///
    /// - Parameters:
    ///   - older: The row of the walk before them.
    ///   - newer: The row of the walk after them.
    private borrowing func page(
        _ walk: TimelineWalk, _ rows: [TimelineWalk.Row], around middle: OrderKey? = nil, from older: OrderKey?,
        to newer: OrderKey?, _ onDamage: ((StoreError) throws -> Void)?
    ) throws -> TimelinePage {
        let messages = try messages(rows, onDamage)
        var first: TimelineRange?
        var last: TimelineRange?
        var hasGapBefore = true
        var hasGapAfter = true
        if let oldest = rows.first?.order, let newest = rows.last?.order {
            first = try snapshot.range(containing: oldest, in: walk.conversation)
            // Stretches do not overlap.
            last =
                if let first, first.contains(newest) { first } else {
                    try snapshot.range(containing: newest, in: walk.conversation)
                }
            let (before, after) =
                try walk.isWhole ? (older, newer) : walk.neighbours(of: oldest, newest, snapshot)
            if let first { hasGapBefore = before.map { !first.contains($0) } ?? !first.reachesBeginning }
            if let last { hasGapAfter = !last.contains(after ?? .aboveAll) }
        }
        let anchor = middle.flatMap { middle in rows.first { $0.order == middle }?.row.local }
        return TimelinePage(
            messages, index: anchor.flatMap { anchor in messages.firstIndex { $0.id == anchor } },
            hasOlder: older != nil, hasNewer: newer != nil, isContiguous: first != nil && first == last,
            hasGapBefore: hasGapBefore,
            hasGapAfter: hasGapAfter, reachesBeginning: first?.reachesBeginning ?? false)
    }

    borrowing func messages(
        _ rows: [TimelineWalk.Row], _ onDamage: ((StoreError) throws -> Void)? = nil
    ) throws -> [Message] {
        var messages: [Message] = []
        messages.reserveCapacity(rows.count)
        var marker: ReadMarker?
        for row in rows {
            do {
                let record = try snapshot.record(
                    at: Position(row.row.local.rawValue), namedBy: Timeline.messages.viewTable)
                let state = row.row.flags.contains(.hasState) ? try snapshot.row(Messages.states, row.row.local) : nil
                // All rows are of one conversation.
                if messages.isEmpty { marker = try snapshot.knownMarker(of: record.conversationNumber) }
                messages.append(try message(record, state ?? MessageState(), marker))
            } catch let error as StoreError where error.isOfRecord {
                guard let onDamage else { throw error }
                try onDamage(error)
            }
        }
        return messages
    }

    borrowing func order(of anchor: TimelineAnchor, in conversation: ConversationNumber) throws -> OrderKey {
        switch anchor {
        case .order(let order): return OrderKey(order)
        case .message(let reference):
            guard let local = try snapshot.local(of: reference, in: conversation), local.rawValue <= position.rawValue,
                let record = try snapshot.log.record(at: Position(local.rawValue)),
                record.conversationNumber == conversation,
                record.type.isMessage
            else { throw StoreError(.notFound, "the anchor names no message of the conversation") }
            return OrderKey(record, try snapshot.row(Messages.states, local) ?? MessageState())
        }
    }

    /// A walk over a conversation's rows of some types, by their marks where all of them have one.
    ///
    /// - Parameters:
    ///   - conversation: Its number.
    ///   - types: The wanted types; nil for all.
    ///   - excluded: Flags that no wanted row has.
    borrowing func walk(
        _ conversation: ConversationNumber, types: Set<ContentType>?, without excluded: TimelineRow.Flags = []
    ) throws -> TimelineWalk {
        let numbers = try types.map { try Set($0.compactMap { try snapshot.symbols.existingNumber(of: $0) }) }
        let areMarked = types?.allSatisfy(TimelineMarks.isMarked) ?? false
        var walk = TimelineWalk(conversation: conversation, clearing: try snapshot.clearing(of: conversation))
        if areMarked { walk.source = .marks(numbers?.sorted() ?? []) }
        if numbers == nil, excluded.isEmpty { return walk }
        walk.isWanted = { row in
            row.flags.isDisjoint(with: excluded) && (areMarked || numbers?.contains(row.contentType) != false)
        }
        return walk
    }
}

/// A row of a timeline on a screen.
public enum TimelineEntry: Sendable, Hashable {
    /// The time of the message below.
    case time(Timestamp)
    /// A message.
    case message(Message)
    /// Something that happened to the conversation or its members.
    case event(TimelineEvent)
}

extension TimelinePage {
    /// The page's messages with time rows between them, and with events at their places.
    ///
    /// - Parameters:
    ///   - interval: A time row precedes the first entry, and every one that is later than the one before it by more
    ///     than this.
    ///   - events: The result of `Views.timelineEvents(on:in:types:limit:)` for the page, oldest first. Each sorts
    ///     after the messages of its time; messages that were not sent yet stay last.
    public func entries(
        timeRowsEvery interval: Duration = .seconds(300), with events: [TimelineEvent] = []
    ) -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        var previous: Timestamp?
        func add(_ entry: TimelineEntry, at time: Timestamp) {
            let gap = previous.map {
                Duration.milliseconds(time.milliseconds) - Duration.milliseconds($0.milliseconds)
            }
            if gap.map({ $0 > interval }) ?? true { entries.append(.time(time)) }
            entries.append(entry)
            previous = time
        }
        var waiting = events[...]
        for message in elements {
            let isUnsent = message.serverID == nil && !message.isLocal
            while let event = waiting.first, isUnsent || event.time < message.time {
                add(.event(event), at: event.time)
                waiting.removeFirst()
            }
            add(.message(message), at: message.time)
        }
        for event in waiting { add(.event(event), at: event.time) }
        return entries
    }
}

/// Walks a conversation's visible rows: of the timeline, of some of its marks merged, or of a thread.
struct TimelineWalk {
    struct Row {
        let order: OrderKey
        let row: TimelineRow
    }

    /// The rows that are walked.
    enum Source {
        case timeline
        case marks([UInt32])
        /// The replies of the thread whose first one this is.
        case replies(with: LocalMessageID)
    }

    let conversation: ConversationNumber
    /// The cleared rows.
    let clearing: Clearing
    var source = Source.timeline
    /// Whether a row is wanted; nil for all.
    var isWanted: ((TimelineRow) -> Bool)?
    /// Only messages that are unread above this read marker, in walks towards newer rows.
    var marker: ReadMarker?
    /// Only messages above the read marker of a thread, in the same walks.
    var threadMarker: ReadMarker?

    /// Whether the rows are those of the whole timeline.
    var isWhole: Bool {
        guard case .timeline = source else { return false }
        return isWanted == nil
    }

    private var table: ViewTable {
        switch source {
        case .timeline: Timeline.messages.viewTable
        case .marks: TimelineMarks.marks.viewTable
        case .replies: Threads.replies.viewTable
        }
    }

    /// The beginnings of the keys of the walked rows.
    private var prefixes: [[UInt8]] {
        switch source {
        case .timeline: [conversation.bytes]
        case .marks(let marks): marks.map { MarkedPlaceKey(conversation: conversation, mark: $0).bytes }
        case .replies(let first): [ReplyKey(conversation: conversation, firstReply: first).bytes]
        }
    }

    /// Rows below `order`, or the newest, newest first, and the place of the next one.
    func older(than order: OrderKey?, limit: Int, _ snapshot: borrowing ViewSnapshot) throws -> (
        rows: [Row], next: OrderKey?
    ) {
        var found: [Row] = []
        for prefix in prefixes {
            let end = prefix + (order ?? .aboveAll).bytes
            var cursor = try snapshot.rowsBackwards(table, before: end.span.bytes)
            let limit = found.count + limit
            var kept = clearing.kept.count
            while found.count <= limit, try cursor.next(), let order = cursor.key.removing(prefix) {
                let isBelowFloor = !clearing.floor.precedes(order)
                if isBelowFloor, kept == 0 { break }
                let row: TimelineRow = try cursor.decoded()
                if isBelowFloor {
                    guard clearing.kept.contains(row.local) else { continue }
                    kept -= 1
                }
                if isWanted?(row) ?? true { found.append(Row(order: OrderKey(order), row: row)) }
            }
        }
        if prefixes.count > 1 { found.sort { $1.order < $0.order } }
        return Self.first(limit, of: found)
    }

    /// Rows above `order`, oldest first, and the place of the next one.
    func newer(
        than order: OrderKey, limit: Int, isInclusive: Bool, _ snapshot: borrowing ViewSnapshot
    ) throws -> (rows: [Row], next: OrderKey?) {
        var found: [Row] = []
        for prefix in prefixes {
            let limit = found.count + limit
            try forEach(from: order, prefix, snapshot) { place, row in
                if !isInclusive, place.isEqual(to: order.bytes.span.bytes) { return true }
                found.append(Row(order: OrderKey(place), row: row))
                return found.count <= limit
            }
        }
        if prefixes.count > 1 { found.sort { $0.order < $1.order } }
        return Self.first(limit, of: found)
    }

    private static func first(_ limit: Int, of rows: consuming [Row]) -> (rows: [Row], next: OrderKey?) {
        guard rows.count > limit else { return (rows, nil) }
        let next = rows[limit].order
        rows.removeLast(rows.count - limit)
        return (rows, next)
    }

    /// The places in the whole timeline before and after a part of it.
    func neighbours(
        of oldest: OrderKey, _ newest: OrderKey, _ snapshot: borrowing ViewSnapshot
    ) throws -> (OrderKey?, OrderKey?) {
        let timeline = TimelineWalk(conversation: conversation, clearing: clearing)
        return (
            try timeline.older(than: oldest, limit: 0, snapshot).next,
            try timeline.newer(than: newest, limit: 0, isInclusive: false, snapshot).next
        )
    }

    /// How many rows are above `order`.
    func count(above order: OrderKey, _ snapshot: borrowing ViewSnapshot) throws -> Int {
        var count = 0
        for prefix in prefixes {
            try forEach(from: order, prefix, snapshot) { place, _ in
                if !place.isEqual(to: order.bytes.span.bytes) { count += 1 }
                return true
            }
        }
        return count
    }

    /// Calls `body` with the wanted rows, oldest first, until it returns false.
    func forEach(_ snapshot: borrowing ViewSnapshot, _ body: (_ order: RawSpan, TimelineRow) -> Bool) throws {
        for prefix in prefixes { try forEach(from: .belowAll, prefix, snapshot, body) }
    }

    /// Calls `body` with the wanted rows at and above `order`, oldest first, until it returns false.
    private func forEach(
        from order: OrderKey, _ prefix: [UInt8], _ snapshot: borrowing ViewSnapshot,
        _ body: (_ order: RawSpan, TimelineRow) -> Bool
    ) throws {
        let start = prefix + (clearing.kept.isEmpty ? max(order, clearing.floor) : order).bytes
        var cursor = try snapshot.rows(table, from: start.span.bytes)
        while try cursor.next(), let order = cursor.key.removing(prefix) {
            let row: TimelineRow = try cursor.decoded()
            guard clearing.shows(row.local, at: order), isWanted?(row) ?? true else { continue }
            if let marker, try !marker.isUnread(row) || !snapshot.isAbove(marker, row, at: order) { continue }
            if let threadMarker, try !snapshot.isAbove(threadMarker, row, at: order) { continue }
            guard body(order, row) else { return }
        }
    }
}

extension RawSpan {
    /// The bytes after `prefix`, or nil if the bytes do not begin with it.
    @_lifetime(copy self)
    func removing(_ prefix: [UInt8]) -> RawSpan? {
        guard byteCount >= prefix.count, extracting(0..<prefix.count).isEqual(to: prefix.span.bytes) else { return nil }
        return extracting(prefix.count..<byteCount)
    }
}
