internal import MessageStoreLMDB

extension MessageStore {
    /// A part of a conversation's timeline, fetched from the provider if the store does not have it.
    ///
    /// Answers at once if loaded history proves that nothing is missing, or without a provider. Otherwise the
    /// provider's answer is recorded, with the origin `history` and as one stretch without gaps, and the views answer.
    /// Messages that the store already has change nothing, unless the page has news of them
    /// (``RemoteHistoryPage/snapshots``). None is delivered to listeners.
    ///
    /// The page ends where a gap begins. Continue from its oldest message with a server's place until a page is empty,
    /// or reaches the beginning and has nothing older; likewise from its newest one with such a place towards the end.
    /// A provider that only goes back fills no gap after an anchor. A provider that answers with nothing has no more
    /// messages; the answer then has the store's messages.
    ///
    /// Fetched messages count as unread if they are above the read marker. No read marker is known if nothing of the
    /// conversation was read here and no read marker of the server is recorded. Then those messages count that are
    /// newer than everything the store had of the conversation, since their live copies may come later, or newer than
    /// an unread message. Other messages do not count, nor do any messages of a conversation that was empty, so paging
    /// back leaves the badge as it is; `configuration.sync.countsHistoryAsUnread` makes them count. The server's read marker
    /// can be recorded at any time (`Event.read(upTo:in:)`), or come with the page (``RemoteHistoryPage/readUpTo``):
    /// messages above it count from then on. While a count that the server reported without place and time applies
    /// (`UnreadCountReported`), fetched messages are part of it.
    ///
    /// - Parameters:
    ///   - conversation: Whose timeline.
    ///   - part: The part of the timeline, as in `Views.timeline`. Around an anchor, up to half of the page and one
    ///     more are not newer than it; messages of the anchor's very time are among them.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Returns: The page, oldest message first.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range or an anchor that no server knows, `notFound`
    ///   for an unknown one, `hookFailed` if the provider threw, was too late or broke a rule (`Views.timeline` reads
    ///   the store's messages), `readOnly` and others.
    public func history(
        of conversation: ConversationKey, _ part: TimelinePart = .latest, limit: Int = 20
    ) async throws -> TimelinePage {
        switch try await question(part, in: conversation, limit: limit) {
        case .part(let asked): return try await history(of: conversation, asked, limit: limit)
        case .around(let place):
            guard historyFetcher.hasProvider else {
                return try await read { try $0.timeline(of: conversation, part, limit: limit) }
            }
            let (older, newer) = try await around(place, limit: limit) {
                try await history(of: conversation, $0, limit: $1)
            }
            // A provider that only goes back leaves a gap between them.
            let isBroken = newer.map { !older.elements.isEmpty && !$0.elements.isEmpty && $0.hasGapBefore } ?? false
            return older.followed(by: newer, in: part, isContiguous: !isBroken)
        }
    }

    /// Whether a history provider is configured.
    package var hasHistoryProvider: Bool { historyFetcher.hasProvider }

    /// The pages on both sides of a place; no newer one if the older one is full.
    private func around(
        _ place: MessageOrder, limit: Int, _ page: (HistoryPart, Int) async throws -> TimelinePage
    ) async throws -> (older: TimelinePage, newer: TimelinePage?) {
        let older = try await page(.before(place), limit / 2 + 1)
        let rest = limit - older.elements.count
        return (older, rest == 0 ? nil : try await page(.after(place), rest))
    }

    private func history(
        of conversation: ConversationKey, _ asked: HistoryPart, limit: Int
    ) async throws -> TimelinePage {
        let part = try await read { try $0.uncleared(asked, of: conversation) } ?? asked
        let known = try await read { try $0.localHistory(of: conversation, part, limit: limit) }
        if known.isComplete { return known.page }
        func shown() async throws -> TimelinePage {
            try await read { try $0.timeline(of: conversation, part.timelinePart, limit: limit) }
        }
        guard historyFetcher.hasProvider else { return try await shown() }
        _ = try openedForWriting()
        var (next, isAskedAgain) = (part, false)
        while true {
            let position = try await read { $0.position }
            guard
                let (answer, asked) = try await historyFetcher.page(of: conversation, next, limit: limit, at: position)
            else { return try await shown() }
            let isCurrent = try await record(answer, of: conversation, next, askedAt: asked)
            if !isCurrent, next == .before(nil), !isAskedAgain {
                // Newer ones came meanwhile: the newest page is another one now.
                isAskedAgain = true
                continue
            }
            let page = try await read { try $0.localHistory(of: conversation, part, limit: limit) }.page
            if !isCurrent, page.elements.isEmpty { return try await shown() }
            // All that came may be deleted or cleared here: then the shown messages lie further on. A message without a
            // server's place is no place to continue from.
            guard isCurrent, page.elements.count < limit, !answer.isLast(of: next),
                page.elements.allSatisfy({ $0.serverID == nil || $0.isTimeProvisional })
            else { return page }
            guard let end = answer.next(after: next) else { return try await shown() }
            guard let further = try await read({ try $0.uncleared(end, of: conversation) }) else { return page }
            next = further
        }
    }

    /// The provider's messages of a part of a conversation, as the filter shows them, without recording anything.
    ///
    /// A message that the store has is as the store shows it, and left out if it was deleted, cleared or hidden here;
    /// in a chat room, messages that leaving cleared are shown again. A message that the store does not have shows the
    /// server's data (``RemoteHistoryPage/snapshots``), without reactions and counts, and its `Message.isRecorded` is
    /// false: no query finds its id, which is the same whenever it is fetched.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - part: The part, as in ``history(of:_:limit:)``.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Returns: The page, oldest message first.
    /// - Throws: As ``history(of:_:limit:)``; `hookMissing` if the configuration has no provider, or one that only goes
    ///   back and is asked for newer messages.
    public func remoteHistory(
        of conversation: ConversationKey, _ part: TimelinePart = .latest, limit: Int = 20
    ) async throws -> TimelinePage {
        switch try await question(part, in: conversation, limit: limit) {
        case .part(let asked): return try await remoteHistory(of: conversation, asked, limit: limit)
        case .around(let place):
            let (older, newer) = try await around(place, limit: limit) {
                try await remoteHistory(of: conversation, $0, limit: $1)
            }
            return older.followed(by: newer, in: part)
        }
    }

    private func remoteHistory(
        of conversation: ConversationKey, _ part: HistoryPart, limit: Int
    ) async throws -> TimelinePage {
        let position = try await read { $0.position }
        guard
            let (page, _) = try await historyFetcher.page(of: conversation, part, limit: limit, at: position)
        else {
            throw StoreError(.hookMissing, "the history provider only goes back")
        }
        let events = page.messages.map { Event($0, in: conversation, origin: .history) }
        let judged = page.messages.enumerated().compactMap { index, message -> JudgedMessage? in
            guard message.sender != account else { return nil }
            var message = message
            if let content = page.snapshots.last(where: { $0.message == .server(message.serverID) })?.content {
                message.content = content
            }
            return JudgedMessage(index: index, conversation: conversation, message: message)
        }
        let verdicts = await filtering.verdicts(on: judged, of: account).verdicts
        let shown = zip(events.indices, events).compactMap { index, event in
            event.shown(by: verdicts[index]?.verdict, to: account)?.payload as? MessageReceived
        }
        // The content that a filter put there stays, whatever edit the server reports.
        var replaced: Set<ServerMessageID> = []
        for (index, message) in page.messages.enumerated() {
            if case .replace? = verdicts[index]?.verdict { replaced.insert(message.serverID) }
        }
        let replacedIDs = replaced
        return try await read { views in
            var messages: [Message] = []
            for message in shown {
                let reported = page.snapshots.last { $0.message == .server(message.serverID) }
                let shown = try views.message(
                    message, in: conversation, of: self.account, reported,
                    isReplaced: replacedIDs.contains(message.serverID))
                // Two ids of the server may name one message of the store.
                if let shown, !messages.contains(where: { $0.id == shown.id }) { messages.append(shown) }
            }
            return TimelinePage(
                messages,
                hasGapBefore: !page.reachesBeginning, hasGapAfter: !(part == .before(nil) || page.reachesEnd),
                reachesBeginning: page.reachesBeginning)
        }
    }

    private enum Question {
        case part(HistoryPart)
        case around(MessageOrder)
    }

    /// Checks a question and finds its anchor's place.
    private func question(
        _ part: TimelinePart, in conversation: ConversationKey, limit: Int
    ) async throws -> Question {
        try Views.check(limit: limit)
        switch part {
        case .latest:
            try Event(ConversationRead(), in: conversation).validate()
            return .part(.before(nil))
        case .before(let anchor): return .part(.before(try await place(of: anchor, in: conversation)))
        case .after(let anchor): return .part(.after(try await place(of: anchor, in: conversation)))
        case .around(let anchor): return .around(MessageOrder(time: try await place(of: anchor, in: conversation).time))
        }
    }

    private func place(of anchor: TimelineAnchor, in conversation: ConversationKey) async throws -> MessageOrder {
        let place = try await read { try $0.remoteOrder(of: anchor, in: conversation) }
        // The rules of events hold for conversation and place.
        try Event(ConversationRead(upTo: place), in: conversation).validate()
        return place
    }

    /// Records a provider's answer and, in the same commit, that there is no gap in it (I6).
    ///
    /// - Returns: Whether the answer has the newest messages, if it was asked for these.
    private func record(
        _ answer: RemoteHistoryPage, of conversation: ConversationKey, _ part: HistoryPart, askedAt position: Position
    ) async throws -> Bool {
        // At the anchor itself a message may be missing; then only the messages that came are known to have no gap.
        let isClosed = try await read { try $0.isClosed(part, in: conversation) }
        var events = answer.messages.map { Event($0, in: conversation, origin: .history) }
        if let marker = answer.readUpTo,
            try await read({ try $0.unread(of: conversation).readUpTo.map { $0 < marker } ?? true })
        {
            let summary = ConversationSummaryReceived(readUpTo: marker)
            events.insert(Event(summary, in: conversation, origin: .history), at: 0)
        }
        if !answer.snapshots.isEmpty {
            let news = try await read { views in
                try answer.snapshots.compactMap { try views.news(of: $0, in: conversation) }
            }
            events += news.map { Event($0, in: conversation, origin: .history) }
        }
        let isAboutEnd = part == .before(nil) || answer.reachesEnd
        let checked = try await read { $0.position }
        let wasOutdated = try await run(on: readQueue) {
            try isAboutEnd && self.isOutdated(answer, of: conversation, after: position, upTo: checked)
        }
        let loaded = answer.loaded(part, isClosed: isClosed)
        guard !events.isEmpty || loaded != nil else { return !wasOutdated }
        let isLate = Locked(wasOutdated)
        do {
            _ = try await record(events, .durable) {
                // Others may have recorded something since the first look, and nobody does between this one and the
                // page.
                let isOutdated =
                    try wasOutdated || isAboutEnd && self.isOutdated(answer, of: conversation, after: checked)
                isLate.withLock { $0 = isOutdated }
                guard var loaded else { return nil }
                loaded.reachesEnd = loaded.reachesEnd && !isOutdated
                return Event(loaded, in: conversation, origin: .history)
            }
            return isLate.withLock { !$0 }
        } catch let error as StoreError where error.code == .invalidArgument {
            throw StoreError(.hookFailed, "the history provider's answer breaks a rule: \(error.message)")
        }
    }

    /// Whether an event after a position changed the session, or shows that the server may have messages newer than an
    /// answer: the answer then does not reach the server's present end.
    private func isOutdated(
        _ answer: RemoteHistoryPage, of conversation: ConversationKey, after position: Position,
        upTo last: Position? = nil
    ) throws -> Bool {
        let first = Position(position.rawValue + 1)
        let connected = EventFilter(types: [.sessionStateChanged])
        let reported = EventFilter(
            types: [.messageReceived, .historyGapFound, .unreadCountReported, .conversationSummaryReceived],
            conversation: conversation)
        let newest = answer.messages.last?.order
        func isNewer(_ place: MessageOrder) -> Bool { newest.map { $0 < place } ?? true }
        if try !events(from: first, to: last, where: connected, limit: 1).isEmpty { return true }
        return try events(from: first, to: last, where: reported, limit: .max).contains { recorded in
            switch recorded.event.payload {
            case let message as MessageReceived: recorded.event.origin != .history && isNewer(message.order)
            case let report as UnreadCountReported: report.upTo.map(isNewer) ?? (report.count > 0)
            case let summary as ConversationSummaryReceived:
                summary.unread.map { $0.upTo.map(isNewer) ?? ($0.count > 0) } ?? false
            default: true
            }
        }
    }
}

extension RemoteHistoryPage {
    /// The part to continue with after an answer; nil if nothing came.
    fileprivate func next(after part: HistoryPart) -> HistoryPart? {
        switch part {
        case .before: messages.first.map { .before($0.order) }
        case .after: messages.last.map { .after($0.order) }
        }
    }

    /// The stretch without gaps that an answer is; nil if nothing came and nothing is known of the anchor.
    fileprivate func loaded(_ part: HistoryPart, isClosed: Bool) -> HistoryPageLoaded? {
        switch part {
        case .before(let anchor):
            guard let newest = isClosed ? anchor : messages.last?.order else { return nil }
            return HistoryPageLoaded(
                newest: newest, oldest: messages.first?.order ?? newest, reachesBeginning: reachesBeginning,
                reachesEnd: anchor == nil)
        case .after(let anchor):
            guard let oldest = isClosed ? anchor : messages.first?.order else { return nil }
            return HistoryPageLoaded(
                newest: messages.last?.order ?? oldest, oldest: oldest, reachesBeginning: false, reachesEnd: reachesEnd)
        }
    }
}

extension TimelinePage {
    /// The page and a newer one that meets it.
    package func followed(by newer: TimelinePage) -> TimelinePage { followed(by: newer, in: .latest) }

    /// The page and a newer one that meets it, as one around the anchor of a part.
    fileprivate func followed(
        by newer: TimelinePage?, in part: TimelinePart, isContiguous: Bool = true
    ) -> TimelinePage {
        let first = elements.isEmpty ? newer ?? self : self
        let last = newer.map { $0.elements.isEmpty ? self : $0 } ?? self
        let all = elements + (newer?.elements ?? [])
        return TimelinePage(
            all, index: all.firstIndex(where: part.isAround), hasOlder: first.hasOlder, hasNewer: last.hasNewer,
            isContiguous: isContiguous && first.isContiguous && last.isContiguous, hasGapBefore: first.hasGapBefore,
            hasGapAfter: last.hasGapAfter, reachesBeginning: first.reachesBeginning)
    }
}

extension TimelinePart {
    /// Whether the part is around a message.
    fileprivate func isAround(_ message: Message) -> Bool {
        switch self {
        case .around(.message(.local(let id))): message.id == id
        case .around(.message(.server(let id))): message.serverID == id
        case .around(.order(let order)): message.order == order
        case .latest, .before, .after: false
        }
    }
}
