internal import MessageStoreLMDB

/// A host's source of messages that the store does not have.
///
/// Set it in `configuration.hooks.historyProvider`;
/// ``MessageStore/MessageStore/history(of:_:limit:)`` asks it, and says which of the fetched messages count as unread.
/// A page may carry the server's read marker, see ``RemoteHistoryPage/readUpTo``.
///
/// An anchor without an id sorts after all messages of its time, so compare it with full places, not with times:
/// `MessageOrder(time: message.sentTime, id: message.serverID) < anchor`.
public protocol HistoryProvider: Sendable {
    /// The newest messages of a conversation that are older than an anchor, in any order, without gaps.
    ///
    /// May throw, hang, answer late, or return fewer or more messages; the store continues with its own messages.
    ///
    /// - Parameters:
    ///   - conversation: Whose.
    ///   - anchor: Only messages before this place; nil for the newest of all.
    ///   - limit: 1 to 1000 messages.
    /// - Returns: The messages, and whether they reach back to the conversation's first.
    func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage

    /// The oldest messages of a conversation that are newer than an anchor, in any order, without gaps.
    ///
    /// Need not be implemented: without it the store fills gaps from their newer end alone.
    ///
    /// - Parameters:
    ///   - conversation: Whose.
    ///   - anchor: Only messages after this place.
    ///   - limit: 1 to 1000 messages.
    /// - Returns: The messages, and whether they reach to the conversation's last; nil if the server only goes back.
    func page(
        of conversation: ConversationKey, after anchor: MessageOrder, limit: Int
    ) async throws -> RemoteHistoryPage?
}

extension HistoryProvider {
    /// Says that the server only goes back.
    public func page(
        of conversation: ConversationKey, after anchor: MessageOrder, limit: Int
    ) async throws -> RemoteHistoryPage? { nil }
}

/// A page of a conversation's past, as a server has it.
public struct RemoteHistoryPage: Sendable, Hashable {
    /// The messages.
    public var messages: [MessageReceived]
    /// Whether the server has nothing older.
    public var reachesBeginning: Bool
    /// Whether the server has nothing newer. A page that is asked for without an anchor always reaches the end.
    public var reachesEnd: Bool
    /// The server's read marker: up to where this account has read the conversation; nil if the server does not report
    /// it. If it is above the read marker that the store knows, it is recorded with the messages, or alone if there are
    /// no messages, as a `ConversationSummaryReceived`: it moves the read marker up and leaves the mark "unread".
    public var readUpTo: MessageOrder?

    /// The server's state of the messages, apart from the messages themselves: edits, recalls, reactions, counts. The
    /// store records the parts it does not know yet with the messages, so that one page updates them to the server's
    /// state.
    public var snapshots: [MessageSnapshotReceived]

    /// Creates a page.
    public init(
        messages: [MessageReceived], reachesBeginning: Bool = false, reachesEnd: Bool = false,
        readUpTo: MessageOrder? = nil, snapshots: [MessageSnapshotReceived] = []
    ) {
        self.messages = messages
        self.snapshots = snapshots
        self.reachesBeginning = reachesBeginning
        self.reachesEnd = reachesEnd
        self.readUpTo = readUpTo
    }
}

extension RemoteHistoryPage {
    /// Creates a page of events, as a transport decodes them.
    ///
    /// - Parameter events: Received messages and their snapshots, in any order.
    /// - Throws: `StoreError` with code `invalidArgument` for any other event, which history cannot record.
    public init(
        events: [Event], reachesBeginning: Bool = false, reachesEnd: Bool = false, readUpTo: MessageOrder? = nil
    ) throws {
        self.init(messages: [], reachesBeginning: reachesBeginning, reachesEnd: reachesEnd, readUpTo: readUpTo)
        for (index, event) in events.enumerated() {
            switch event.payload {
            case let message as MessageReceived: messages.append(message)
            case let snapshot as MessageSnapshotReceived: snapshots.append(snapshot)
            default:
                throw StoreError(
                    .invalidArgument, "event \(index), a \(event.payload.typeName), is no part of a page of history")
            }
        }
    }

    /// Whether nothing lies beyond its far end.
    func isLast(of part: HistoryPart) -> Bool {
        switch part {
        case .before: reachesBeginning
        case .after: reachesEnd
        }
    }

    /// The messages that answer the question, oldest first, each once: nothing at the anchor or on its other side, and
    /// of more than `limit` messages those next to it.
    func answering(_ part: HistoryPart, limit: Int) -> RemoteHistoryPage {
        var known: Set<ServerMessageID> = []
        var answer = messages.filter { message in
            let isAsked =
                switch part {
                case .before(let anchor): anchor.map { message.order < $0 } ?? true
                case .after(let anchor): anchor < message.order
                }
            return isAsked && known.insert(message.serverID).inserted
        }
        answer = answer.ordered { $0.order < $1.order }
        var page = self
        switch part {
        case .before:
            page.messages = answer.suffix(limit)
            page.reachesBeginning = reachesBeginning && answer.count <= limit
        case .after:
            page.messages = Array(answer.prefix(limit))
            page.reachesEnd = reachesEnd && answer.count <= limit
        }
        return page.withoutOtherSnapshots
    }

    /// The page without the snapshots of messages that are not in it.
    var withoutOtherSnapshots: RemoteHistoryPage {
        guard !snapshots.isEmpty else { return self }
        var page = self
        let ids = Set(messages.map(\.serverID))
        page.snapshots = snapshots.filter { snapshot in
            if case .server(let id) = snapshot.message { ids.contains(id) } else { false }
        }
        return page
    }
}

extension MessageReceived {
    var order: MessageOrder { MessageOrder(time: sentTime, id: serverID) }
}

/// Asks the host's provider for pages of history, one request at a time for each place.
final class HistoryFetcher: Sendable {
    private struct Place: Hashable {
        let conversation: ConversationKey
        let part: HistoryPart
    }

    private struct Request: Sendable {
        let limit: Int
        /// The log's end when the provider was asked.
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
    /// - Parameter position: The log's end now.
    /// - Returns: The answer, and the log's end when it was asked for; nil if the provider only goes back, and was
    ///   asked for newer messages.
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
