internal import MessageStoreLMDB

/// Asks the host's provider for pages of history, one request at a time for each place.
final class HistoryFetcher: Sendable {
    private struct Place: Hashable {
        let conversation: ConversationKey
        let part: HistoryPart
    }

    private struct Request: Sendable {
        let limit: Int
        /// Where the log ended when the provider was asked.
        let position: Position
        let answer: Task<RemoteHistoryPage?, any Error>
    }

    private let provider: (any HistoryProvider)?
    private let timeout: Duration
    private let scheduler: Scheduler
    private let open = Locked<[Place: Request]>([:])

    init(_ provider: (any HistoryProvider)?, timeout: Duration, _ scheduler: Scheduler) {
        self.provider = provider
        self.timeout = timeout
        self.scheduler = scheduler
    }

    var hasProvider: Bool { provider != nil }

    /// The provider's answer, oldest message first; shared with callers that ask for the same place meanwhile.
    ///
    /// - Parameter position: Where the log ends now.
    /// - Returns: The answer, and where the log ended when it was asked for; nil where the provider only goes back, and
    ///   was asked for what is newer.
    /// - Throws: `StoreError` with code `hookFailed` or `hookMissing`.
    func page(
        of conversation: ConversationKey, _ part: HistoryPart, limit: Int, at position: Position
    ) async throws -> (page: RemoteHistoryPage, position: Position)? {
        guard let provider else { throw StoreError(.hookMissing, "the configuration has no history provider") }
        let place = Place(conversation: conversation, part: part)
        while true {
            let (request, isOwn) = open.withLock { open in
                if let request = open[place] { return (request, false) }
                let answer = Task { try await self.ask(provider, place, limit) }
                let request = Request(limit: limit, position: position, answer: answer)
                open[place] = request
                return (request, true)
            }
            guard let answer = try await request.answer.value else { return nil }
            // A request for fewer messages may have been open already.
            guard isOwn || request.limit >= limit || answer.isLast(of: part) else { continue }
            return (answer.answering(part, limit: limit), request.position)
        }
    }

    private func ask(_ provider: any HistoryProvider, _ place: Place, _ limit: Int) async throws -> RemoteHistoryPage? {
        let answer = await scheduler.firstAnswer(until: scheduler.now + timeout) {
            switch place.part {
            case .before(let anchor): try await provider.page(of: place.conversation, before: anchor, limit: limit)
            case .after(let anchor): try await provider.page(of: place.conversation, after: anchor, limit: limit)
            }
        }
        open.withLock { $0[place] = nil }
        switch answer {
        case .success(let page): return page?.answering(place.part, limit: limit)
        case .failure: throw StoreError(.hookFailed, "the history provider threw")
        case nil: throw StoreError(.hookFailed, "the history provider did not answer in time")
        }
    }
}
