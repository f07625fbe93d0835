public import MessageStore
public import Observation

/// A window of a conversation's timeline that follows the store, with paging, for a chat screen.
///
/// ```swift
/// let chat = LiveTimeline(of: .group("friends"), in: store)
/// await chat.loadOlder()            // As the user scrolls up.
/// await chat.show(.server("m17"))   // From a search result or a quotation.
/// chat.showNewest()
/// ```
///
/// The window begins with a page and grows by a page in the direction of each load, up to ten pages; then it moves on
/// and leaves the far end. Messages in the window are live. The window that holds the newest message takes in what
/// arrives.
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

    private let page: LiveValue<TimelinePage>
    @ObservationIgnored private var part: TimelinePart
    @ObservationIgnored private var limit: Int

    /// Creates a window and reads its first page.
    ///
    /// - Parameters:
    ///   - conversation: The conversation.
    ///   - store: The store.
    ///   - part: The first page, as `.around(.order(firstUnread))` or the newest messages.
    ///   - pageSize: The number of messages in a page, 1 to 100; a lower or higher one counts as the nearest of these.
    public init(
        of conversation: ConversationKey, in store: MessageStore, _ part: TimelinePart = .latest, pageSize: Int = 40
    ) {
        (self.conversation, self.store, self.part) = (conversation, store, part)
        self.pageSize = min(max(pageSize, 1), Views.pageLimits.upperBound / Self.pages)
        limit = self.pageSize
        page = LiveValue()
        page.onValue = { [weak self] in self?.followArrivals(after: $0) }
        follow(part, limit: limit)
    }

    /// The messages of the window, oldest first.
    public var messages: [Message] { page.value?.elements ?? [] }
    /// Whether the store has older messages, or the history provider may have them.
    public var hasOlder: Bool {
        page.value.map { $0.hasOlder || $0.hasGapBefore && store.hasHistoryProvider } ?? false
    }
    /// Whether the store has newer messages.
    public var hasNewer: Bool { page.value?.hasNewer ?? false }
    /// Whether the first page has not come yet.
    public var isLoading: Bool { page.isLoading && page.value == nil }
    /// The error that ended the window's query; ``showNewest()`` starts another one.
    public var error: (any Error)? { page.error }

    /// Waits until the first page has come.
    public func loaded() async { await page.loaded() }

    /// Adds a page of older messages; those that the store lacks are requested from
    /// `Configuration.hooks.historyProvider`. Returns when they are shown.
    public func loadOlder() async {
        guard hasOlder else { return }
        await load(TimelinePart.before, from: messages)
    }

    /// Adds a page of newer messages, as ``loadOlder()`` does at the other end.
    public func loadNewer() async {
        guard hasNewer else { return }
        await load(TimelinePart.after, from: messages.reversed())
    }

    /// Moves the window to a message and its neighbours; those that the store lacks are requested from the history
    /// provider.
    ///
    /// - Parameter message: The message.
    /// - Throws: `StoreError` with the code `notFound` if the store does not know the message.
    public func show(_ message: MessageReference) async throws {
        guard let known = try await store.read({ [conversation] in try $0.message(message, in: conversation) }) else {
            throw StoreError(.notFound, "the conversation has no such message")
        }
        if known.serverID != nil { await fetch(.around(known.anchor)) }
        shown = known.id
        follow(.around(known.anchor), limit: pageSize)
        await page.loaded()
    }

    /// Moves the window to the newest messages.
    public func showNewest() {
        shown = nil
        follow(.latest, limit: pageSize)
    }

    /// The greatest window, in pages.
    private static let pages = 10

    /// Extends the window beyond the first of its messages.
    private func load(_ part: (TimelineAnchor) -> TimelinePart, from messages: [Message]) async {
        guard !isLoadingMore else { return }
        isLoadingMore = true
        defer { isLoadingMore = false }
        await fetch(messages.first { $0.serverID != nil }.map { part($0.anchor) } ?? .latest)
        // Around a message half of what is added is at the other end.
        let added = self.part == .latest ? pageSize : pageSize * 2
        if limit + added <= pageSize * Self.pages {
            follow(self.part, limit: limit + added)
        } else if let edge = messages.first {
            follow(.around(edge.anchor), limit: pageSize * Self.pages / 2)
        }
        await page.loaded()
    }

    /// Has the history provider answer for what the store lacks of a page. Without an answer the window shows what the
    /// store has.
    private func fetch(_ part: TimelinePart) async {
        do {
            _ = try await store.history(of: conversation, part, limit: pageSize)
            if loadError != nil { loadError = nil }
        } catch {
            loadError = error
        }
    }

    /// Follows the newest messages once the window has reached them.
    private func followArrivals(after page: TimelinePage) {
        guard part != .latest, !page.hasNewer else { return }
        follow(.latest, limit: max(pageSize, page.elements.count))
    }

    private func follow(_ part: TimelinePart, limit: Int) {
        (self.part, self.limit) = (part, limit)
        page.change(to: store.observeTimeline(of: conversation, part, limit: limit))
    }
}

extension Message {
    /// The place of the message, which stays when it is deleted; the message itself while it has none.
    fileprivate var anchor: TimelineAnchor { order.map(TimelineAnchor.order) ?? .message(.local(id)) }
}
