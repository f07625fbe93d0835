package import MessageStore

extension StoreModel {
    /// The parts of a timeline that are known to have no holes: closed ones, each with a hole behind it, and the head.
    struct Stretches: Sendable {
        struct Stretch: Sendable, Equatable {
            var low: Order
            var high: Order
            var reachesBeginning = false
            /// What proves that the gap after it holds nothing; nil where only loaded history does.
            var wait: Wait?

            func contains(_ order: Order) -> Bool { low <= order && order <= high }
            func touches(_ other: Stretch) -> Bool { low <= other.high && other.low <= high }
            mutating func merge(_ other: Stretch) {
                (low, high) = (min(low, other.low), max(high, other.high))
                reachesBeginning = reachesBeginning || other.reachesBeginning
            }
        }

        struct Wait: Sendable, Equatable {
            /// A sync that began here or later, once it is complete.
            var joinsAfter: UInt64
            /// A live message of this session; 0 where only a sync does.
            var session: UInt64 = 0
        }

        struct Head: Sendable {
            var low: Order
            var reachesBeginning = false
            /// Whether it began with a live message while a sync was going on.
            var isLive = false
            /// The position of the event that began the session in which the head went on last.
            var session: UInt64
            var stretch: Stretch { Stretch(low: low, high: .highest, reachesBeginning: reachesBeginning) }
        }

        var closed: [Stretch] = []
        var head: Head?
        var all: [Stretch] { closed + (head.map { [$0.stretch] } ?? []) }

        /// Adds a stretch, joined with those it touches.
        mutating func add(_ added: Stretch, session: UInt64) {
            var merged = added
            // Only what reaches the end tells that the head goes on in this session.
            let session = added.high == .highest ? session : head?.session ?? session
            let touched = all.last { $0.touches(added) } ?? closed.last { $0.high < added.low }
            if merged.high != .highest, merged.wait == nil { merged.wait = touched?.wait }
            for stretch in all where stretch.touches(merged) {
                closed.removeAll { $0 == stretch }
                if stretch.high == .highest { head = nil }
                merged.merge(stretch)
            }
            if merged.high == .highest {
                head = Head(low: merged.low, reachesBeginning: merged.reachesBeginning, session: session)
            } else {
                closed.append(merged)
                closed.sort { $0.low < $1.low }
            }
        }

        /// Opens a gap below `next`, which no sync closes.
        mutating func split(between end: Order?, _ next: Order) {
            if let index = closed.firstIndex(where: { $0.low < next && $0.contains(next) }) {
                let whole = closed[index]
                (closed[index].low, closed[index].reachesBeginning) = (next, false)
                if let end, end >= whole.low {
                    let lower = Stretch(low: whole.low, high: end, reachesBeginning: whole.reachesBeginning)
                    return closed.insert(lower, at: index)
                }
            }
            if let index = closed.lastIndex(where: { $0.high < next }) { closed[index].wait = nil }
        }

        /// Ends the head at `end`; what comes from `next` on is another one.
        mutating func breakHead(at end: Order?, next: Order?, session: UInt64, wait: Wait? = nil) {
            let end = end ?? .lowest
            let ended = head
            head = nil
            var closing = Stretch(
                low: min(ended?.low ?? end, end), high: end, reachesBeginning: ended?.reachesBeginning ?? false,
                wait: wait)
            for stretch in closed where stretch.touches(closing) {
                closed.removeAll { $0 == stretch }
                if closing.high < stretch.high { closing.wait = stretch.wait }
                let wait = closing.wait
                closing.merge(stretch)
                closing.wait = wait
            }
            if wait == nil { closing.wait = nil }
            closed.append(closing)
            closed.sort { $0.low < $1.low }
            head = next.map { Head(low: $0, session: session) }
        }
    }

    /// Where the current session or sync began.
    var currentSession: UInt64 {
        let begun = max(connectedAt, startedAt)
        return begun == 0 ? completedAt : begun
    }

    /// Whether the session has not ended.
    var isSessionOn: Bool { endedAt <= currentSession }

    /// Whether live messages overtake those that a sync of the session delivers.
    var isCatchingUp: Bool { sync.isSyncing && connectedAt != 0 && startedAt >= connectedAt }

    mutating func applyGapEvent(_ event: Event, _ key: ConversationKey) {
        let session = currentSession
        switch event.payload {
        case let body as HistoryPageLoaded:
            let low = body.reachesBeginning ? .lowest : Order(lowEnd: body.oldest)
            let high = body.reachesEnd ? .highest : Order(body.newest)
            change(key) { entry in
                entry.stretches.add(
                    .init(low: low, high: high, reachesBeginning: body.reachesBeginning), session: session)
            }
            findPlace(in: key)
        case let body as HistoryGapFound:
            let next = body.before.map { Order(lowEnd: $0) }
            let end = next.map { newestShown(in: key, below: $0) } ?? newestKnown(in: key)
            change(key) { entry in
                if let next,
                    entry.stretches.head.map({ next <= $0.low })
                        ?? entry.stretches.closed.contains(where: { $0.high >= next })
                {
                    return entry.stretches.split(between: end, next)
                }
                entry.stretches.breakHead(at: end, next: next, session: session)
            }
        case let body as UnreadCountReported:
            let told = ConversationSummaryReceived.Unread(body.count, mentions: body.mentions, upTo: body.upTo)
            report(told, at: body.time ?? event.serverTime, in: key)
        case let body as ConversationSummaryReceived: summarise(body, at: event.serverTime, in: key)
        default: break
        }
    }

    /// The place of the newest message that a server knows and that is shown or cleared.
    func newestKnown(in key: ConversationKey) -> Order? {
        messages.values.filter { $0.conversation == key && !$0.isGone && !$0.order.isUnsent && !$0.isTimeProvisional }
            .map(\.order).max()
    }

    /// The lines of this device, and messages from the future, go with the history.
    mutating func clearLines(in key: ConversationKey) {
        for entry in messages.values
        where entry.conversation == key && (entry.isLocal || entry.isAhead) {
            update(entry.local) { $0.isDeleted = true }
        }
    }

    /// The same without the lines of this device, which no server told, and messages of more than a day after the last event.
    func newestReported(in key: ConversationKey) -> Order? {
        messages.values.filter {
            $0.conversation == key && !$0.isGone && !$0.order.isUnsent && !$0.isTimeProvisional && !$0.isLocal
                && $0.order.time <= latestTime && !$0.isFromFuture
        }.map(\.order).max()
    }

    private func newestShown(in key: ConversationKey, below order: Order) -> Order? {
        messages.values.filter { $0.conversation == key && !$0.isGone && !$0.isTimeProvisional && $0.order < order }
            .map(\.order).max()
    }

    /// The newest messages of a conversation, and what is known of holes around them.
    package func page(of key: ConversationKey, newest limit: Int) -> TimelinePage {
        let all = visible(in: key)
        let page = all.suffix(limit)
        let stretches = conversations[key]?.stretches.all ?? []
        guard let first = page.first?.order, let last = page.last?.order else {
            return TimelinePage([], isContiguous: false, hasGapBefore: true, hasGapAfter: true)
        }
        let low = stretches.first { $0.contains(first) }
        let high = stretches.first { $0.contains(last) }
        let older = all.last { $0.order < first }?.order
        return TimelinePage(
            page.map { shown($0) }, hasOlder: older != nil, isContiguous: low != nil && low == high,
            hasGapBefore: low.map { low in older.map { !low.contains($0) } ?? !low.reachesBeginning } ?? true,
            hasGapAfter: high?.high != .highest, reachesBeginning: low?.reachesBeginning ?? false)
    }
}

extension StoreModel.Order {
    static let lowest = StoreModel.Order(time: -1, id: [])
    static let highest = StoreModel.Order(time: .max, id: [0xFF])

    private init(time: Int64, id: [UInt8]) {
        self.time = time
        self.id = id
    }

    /// Before every message of its time where it names none.
    init(lowEnd order: MessageOrder) {
        self.init(time: order.time.milliseconds, id: order.id.map { Array($0.rawValue.utf8) } ?? [])
    }
}
