extension MessageStore {
    /// The messages just before an anchor, fetched from the provider where the store does not have them.
    ///
    /// Answers at once where loaded history proves that nothing is missing, or without a provider. Otherwise
    /// the provider's answer is recorded, with the origin `history` and as one stretch without holes, and the views
    /// answer. Messages that the store already has change nothing, unless the page tells news of them
    /// (``RemoteHistoryPage/snapshots``). None is delivered to listeners.
    ///
    /// The page ends where a hole begins. Continue from its oldest message until a page is empty, or reaches the
    /// beginning and has nothing older.
    ///
    /// Fetched messages count as unread where they are above the read marker. Where none is known, because nothing of the
    /// conversation was read here and no marker of the server is recorded, those count that are newer than all that the store
    /// had of the conversation, since their live copies may come later. The others do not, nor does any of a conversation that
    /// was empty, so paging back leaves the badge as it is; ``Configuration/countsUnreadHistory`` makes them count. The server's
    /// marker can be recorded at any time (`Event.read(upTo:in:)`), or come with the page (``RemoteHistoryPage/readUpTo``):
    /// what is above it counts from then on. While a number of unread messages is in force that the server reported alone
    /// (`UnreadCountReported`), fetched messages are part of it.
    ///
    /// - Parameters:
    ///   - conversation: Whose timeline.
    ///   - anchor: Only messages before it; nil for the newest.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Returns: The page, oldest message first.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range or an anchor that no server knows, `notFound`
    ///   for an unknown one, `hookFailed` where the provider threw, was too late or broke a rule (what the store has is
    ///   read with `Views.timeline`), `readOnly` and others.
    public func history(
        of conversation: ConversationKey, before anchor: TimelineAnchor? = nil, limit: Int = 20
    ) async throws -> TimelinePage {
        let start = try await place(of: anchor, in: conversation, limit: limit)
        let known = try await read { try $0.localHistory(of: conversation, before: start, limit: limit) }
        if known.isComplete { return known.page }
        guard historyFetcher.hasProvider else {
            return try await read { views in
                try views.timeline(of: conversation, start.map { .before(.order($0)) } ?? .latest, limit: limit)
            }
        }
        _ = try openedForWriting()
        var next = start
        while true {
            let answer = try await historyFetcher.page(of: conversation, before: next, limit: limit)
            try await record(answer, of: conversation, before: next)
            let page = try await read { try $0.localHistory(of: conversation, before: start, limit: limit) }.page
            // All that came may be deleted here: then what is shown lies further back, unless that was cleared.
            guard page.messages.isEmpty, !answer.reachesBeginning, let oldest = answer.messages.first?.order,
                try await !read({ try $0.isCleared(oldest, in: conversation) })
            else { return page }
            next = oldest
        }
    }

    /// The provider's messages just before an anchor, as the filter shows them, without recording anything.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - anchor: Only messages before it; nil for the newest.
    ///   - limit: The maximum number of messages, 1 to 1000.
    /// - Returns: The messages, oldest first.
    /// - Throws: As ``history(of:before:limit:)``; `hookMissing` where the configuration has no provider.
    public func remoteHistory(
        of conversation: ConversationKey, before anchor: TimelineAnchor? = nil, limit: Int = 20
    ) async throws -> RemoteHistoryPage {
        let start = try await place(of: anchor, in: conversation, limit: limit)
        var page = try await historyFetcher.page(of: conversation, before: start, limit: limit)
        let events = page.messages.map { Event($0, in: conversation, origin: .history) }
        let verdicts = await filtering.verdicts(on: events, of: account).verdicts
        page.messages = zip(events.indices, events).compactMap { index, event in
            guard let message = event.shown(by: verdicts[index]?.verdict, to: account)?.payload as? MessageReceived
            else {
                return nil
            }
            return message
        }
        return page.withoutOtherSnapshots
    }

    /// Checks a question and finds its anchor's place.
    private func place(
        of anchor: TimelineAnchor?, in conversation: ConversationKey, limit: Int
    ) async throws -> MessageOrder? {
        guard Views.pageLimits.contains(limit) else {
            throw StoreError(.invalidArgument, "a limit of \(limit); 1 to 1000 are allowed")
        }
        let place = try await read { views in try anchor.map { try views.remoteOrder(of: $0, in: conversation) } }
        // The rules of events hold for conversation and place.
        try Event(ConversationRead(upTo: place), in: conversation).validate()
        return place
    }

    /// Records a provider's answer and, in the same commit, that there is no hole in it (I6).
    private func record(
        _ answer: RemoteHistoryPage, of conversation: ConversationKey, before anchor: MessageOrder?
    ) async throws {
        // At the anchor itself a message may be missing; then only what came is known to have no hole.
        let isClosed = try await read { views in try anchor.map { try views.isClosed($0, in: conversation) } ?? false }
        var events = answer.messages.map { Event($0, in: conversation, origin: .history) }
        if let marker = answer.readUpTo,
            try await read({ try $0.unread(of: conversation).readUpTo.map { $0.precedes(marker) } ?? true })
        {
            let summary = ConversationSummaryReceived(readUpTo: marker)
            events.insert(Event(summary, in: conversation, origin: .history), at: 0)
        }
        if !answer.snapshots.isEmpty {
            let news = try await read { views in
                try answer.snapshots.compactMap { try views.news(in: $0, of: conversation) }
            }
            events += news.map { Event($0, in: conversation, origin: .history) }
        }
        if let newest = isClosed ? anchor : answer.messages.last?.order {
            let loaded = HistoryPageLoaded(
                newest: newest, oldest: answer.messages.first?.order ?? newest,
                reachesBeginning: answer.reachesBeginning, reachesEnd: anchor == nil)
            events.append(Event(loaded, in: conversation, origin: .history))
        }
        guard !events.isEmpty else { return }
        do {
            try await record(events)
        } catch let error as StoreError where error.code == .invalidArgument {
            throw StoreError(.hookFailed, "the history provider's answer breaks a rule: \(error.message)")
        }
    }
}
