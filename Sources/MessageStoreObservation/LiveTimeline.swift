public import MessageStore
internal import MessageStoreProjections
public import Observation

/// A window of a conversation's timeline that follows the store, with paging, for a chat screen.
///
/// ```swift
/// let chat = LiveTimeline(of: .group("friends"), in: store)
/// await chat.loadOlder()                // As the user scrolls up.
/// try await chat.show(.server("m17"))   // From a search result or a quotation.
/// chat.showNewest()
/// ```
///
/// The window begins with a page and grows by a page with each load, up to ten pages; then it moves on and leaves the
/// far end. Messages in the window are live. The window that holds the newest message takes in what arrives. With a
/// history provider the window ends at a gap, until a load has closed it; without one it shows what the store has.
///
/// - **Isolation:** as of ``LiveValue``; the main actor reads nothing.
/// - **Cost:** a change in the store costs a read of the window on the store's queue.
@MainActor @Observable
public final class LiveTimeline {
    /// The store.
    public let store: MessageStore
    /// The conversation.
    public let conversation: ConversationKey
    /// The number of messages that a load adds.
    public let pageSize: Int
    /// Whether older or newer messages are being loaded.
    public private(set) var isLoadingMore = false
    /// The error of the last load, as of a server that cannot be reached; nil after one that succeeded.
    public private(set) var loadError: (any Error)?
    /// The message to which ``show(_:)`` moved the window, to scroll to; nil after ``showNewest()``.
    public private(set) var shown: Message.ID?
    /// Whether the history provider had nothing before the window.
    private var isAtBeginning = false

    private let page = LiveValue<TimelinePage>()
    @ObservationIgnored private var window: TimelineWindow
    /// Counts the moves of the window; a load that ends after one changes nothing.
    @ObservationIgnored private var turn = 0

    /// Creates a window and reads its first page.
    ///
    /// - Parameters:
    ///   - conversation: The conversation.
    ///   - store: The store.
    ///   - place: A place around which the window begins, as `Views.firstUnread(in:)` has one; nil for the newest
    ///     messages.
    ///   - pageSize: The number of messages in a page, 1 to 100; a lower or higher one counts as the nearest of these.
    public init(
        of conversation: ConversationKey, in store: MessageStore, around place: MessageOrder? = nil, pageSize: Int = 40
    ) {
        (self.conversation, self.store) = (conversation, store)
        let pageSize = min(max(pageSize, 1), Views.pageLimits.upperBound / Self.pages)
        self.pageSize = pageSize
        window = place.map { .around($0, older: pageSize / 2 + 1, newer: pageSize / 2) } ?? .latest(pageSize)
        page.onValue = { [weak self] in self?.followArrivals(after: $0) }
        follow(window)
    }

    /// The messages of the window, oldest first.
    public var messages: [Message] { page.value?.elements ?? [] }
    /// Whether the store has older messages, or the history provider may have them.
    public var hasOlder: Bool {
        page.value.map { $0.hasOlder || $0.hasGapBefore && store.hasHistoryProvider && !isAtBeginning } ?? false
    }
    /// Whether the store has newer messages.
    public var hasNewer: Bool { page.value?.hasNewer ?? false }
    /// Whether the first page has not come yet.
    public var isLoading: Bool { page.isLoading && page.value == nil }
    /// The error that ended the window's query; see ``retry()``.
    public var error: (any Error)? { page.error }

    /// Waits until the first page has come, or that of the last move.
    public func loaded() async { await page.loaded() }

    /// Runs the window's query again after an error, as of a store whose views are being rebuilt.
    public func retry() { page.retry() }

    /// Adds a page of older messages, and requests missing ones from `Configuration.hooks.historyProvider`.
    ///
    /// Returns when they are shown, or ``loadError`` says why not. While another load is under way it does nothing.
    public func loadOlder() async {
        guard hasOlder else { return }
        let found = await load(TimelinePart.before, from: messages) { edge in
            switch window {
            case .latest(let count) where count + pageSize <= greatest: .latest(count + pageSize)
            case .around(let place, let older, let newer) where older + newer + pageSize <= greatest:
                .around(place, older: older + pageSize, newer: newer)
            default: edge.map { .around($0, older: pageSize + 1, newer: greatest - pageSize - 1) } ?? window
            }
        }
        if let found, found.elements.isEmpty, !found.hasOlder { isAtBeginning = true }
    }

    /// Adds a page of newer messages, as ``loadOlder()`` does at the other end.
    ///
    /// A history provider that only goes back cannot close a gap after the window, which then moves to the newest
    /// messages.
    public func loadNewer() async {
        guard hasNewer else { return }
        let (before, turn) = (messages.last?.id, turn)
        await load(TimelinePart.after, from: messages.reversed()) { edge in
            switch window {
            case .around(let place, let older, let newer) where older + newer + pageSize <= greatest:
                .around(place, older: older, newer: newer + pageSize)
            default: edge.map { .around($0, older: greatest - pageSize, newer: pageSize) } ?? window
            }
        }
        if turn == self.turn, loadError == nil, !Task.isCancelled, hasNewer, messages.last?.id == before {
            showNewest()
        }
    }

    /// Moves the window to a message and its neighbours, and requests missing ones from the history provider. A message that no server has ordered yet is among the newest.
    ///
    /// - Parameter message: The message.
    /// - Throws: `StoreError` with the code `notFound` if the store does not know the message.
    public func show(_ message: MessageReference) async throws {
        turn += 1
        let turn = turn
        guard let known = try await store.read({ [conversation] in try $0.message(message, in: conversation) }) else {
            throw StoreError(.notFound, "the conversation has no such message")
        }
        let order = known.order
        if let order, known.serverID != nil { await fetch(.around(.order(order))) }
        // Another move was made meanwhile.
        guard turn == self.turn else { return }
        isAtBeginning = false
        follow(order.map { .around($0, older: pageSize / 2 + 1, newer: pageSize / 2) } ?? .latest(pageSize))
        await page.loaded()
        if turn == self.turn { shown = known.id }
    }

    /// Moves the window to the newest messages.
    public func showNewest() {
        turn += 1
        (shown, isAtBeginning) = (nil, false)
        follow(.latest(pageSize))
    }

    /// The greatest window, in pages.
    private static let pages = 10
    private var greatest: Int { pageSize * Self.pages }

    /// Extends the window beyond the first of its messages.
    ///
    /// - Returns: The page that was added; nil without an answer, or if the window moved meanwhile.
    @discardableResult
    private func load(
        _ part: (TimelineAnchor) -> TimelinePart, from messages: [Message],
        _ extended: (_ edge: MessageOrder?) -> TimelineWindow
    ) async -> TimelinePage? {
        guard !isLoadingMore else { return nil }
        isLoadingMore = true
        defer { isLoadingMore = false }
        let turn = turn
        let place = messages.first { $0.serverID != nil && $0.order != nil }?.order
        let found = await fetch(place.map { part(.order($0)) } ?? .latest)
        guard turn == self.turn, !Task.isCancelled else { return nil }
        follow(extended(messages.lazy.compactMap(\.order).first))
        await page.loaded()
        return found
    }

    /// Has the history provider answer for what the store lacks of a page. Without an answer the window shows what the
    /// store has.
    ///
    /// - Returns: The page; nil without an answer.
    @discardableResult
    private func fetch(_ part: TimelinePart) async -> TimelinePage? {
        do {
            let page = try await store.history(of: conversation, part, limit: pageSize)
            if loadError != nil { loadError = nil }
            return page
        } catch {
            if !Task.isCancelled { loadError = error }
            return nil
        }
    }

    /// Follows the newest messages once the window has reached them.
    private func followArrivals(after page: TimelinePage) {
        guard case .around = window, !page.hasNewer else { return }
        follow(.latest(max(pageSize, page.elements.count)))
    }

    private func follow(_ window: TimelineWindow) {
        self.window = window
        let acrossGaps = !store.hasHistoryProvider
        let conversation = conversation
        page.start(store.observeTimelinePage { try window.page(of: conversation, $0, acrossGaps: acrossGaps) })
    }
}

/// The messages that a window shows.
enum TimelineWindow: Sendable, Equatable {
    /// So many newest ones.
    case latest(Int)
    /// So many up to a place, and so many after it.
    case around(MessageOrder, older: Int, newer: Int)

    /// The messages, up to a gap at each end.
    func page(
        of conversation: ConversationKey, _ views: borrowing Views, acrossGaps: Bool
    ) throws -> TimelinePage {
        switch self {
        case .latest(let count):
            let page = try views.timeline(of: conversation, limit: count)
            guard !acrossGaps, !page.isContiguous, let newest = page.elements.last(where: { $0.order != nil })?.order
            else { return page }
            // Unsent messages follow the newest one that has a place.
            let unsent = page.elements.reversed().prefix { $0.order == nil }.count
            let part = HistoryPart.before(MessageOrder(time: newest.time))
            let joined = try views.localHistory(of: conversation, part, limit: max(count - unsent, 1)).page.elements
                .count
            guard joined > 0, joined + unsent < page.elements.count else { return page }
            return try views.timeline(of: conversation, limit: joined + unsent)
        case .around(let place, let older, let newer):
            // No id sorts between these two, so that the message of the place is among the older ones.
            let end = MessageOrder(time: place.time, id: place.id.map { ServerMessageID($0.rawValue + "\0") })
            let upTo = HistoryPart.before(end)
            let before =
                try acrossGaps
                ? views.timeline(of: conversation, upTo.timelinePart, limit: older)
                : views.localHistory(of: conversation, upTo, limit: older).page
            let last = before.elements.last { $0.order != nil }?.order ?? end
            let after =
                try acrossGaps
                ? views.timeline(of: conversation, .after(.order(last)), limit: newer)
                : views.localHistory(of: conversation, .after(last), limit: newer).page
            return before.followed(by: after)
        }
    }
}
