/// Messages that a server delivered together after this account had been offline.
public struct OfflinePackage: Sendable, Hashable {
    /// The transport's number of the package.
    public var index: UInt32
    /// The events in it; messages carry the origin `offline`. Those that are not stored are delivered to listeners and
    /// counted.
    public var events: [Event]
    /// The number of further messages in it, such as those that the transport dropped; they are only counted.
    public var unstoredMessages: UInt32
    /// Whether the server has more packages.
    public var hasMore: Bool
    /// The server's place after the package, which is recorded in the same commit; nil if the server reports none.
    public var cursor: SyncCursorAdvanced?

    /// Creates a package.
    public init(
        index: UInt32, events: [Event], unstoredMessages: UInt32 = 0, hasMore: Bool, cursor: SyncCursorAdvanced? = nil
    ) {
        self.index = index
        self.events = events
        self.unstoredMessages = unstoredMessages
        self.hasMore = hasMore
        self.cursor = cursor
    }
}

extension OfflinePackage {
    /// The events and the cursor.
    var contents: [Event] { cursor.map { events + [Event($0, origin: .offline)] } ?? events }

    /// The event that the package was received, recorded after its events.
    var closingEvent: Event {
        // By index, which copies no event.
        let messages = events.indices.count { events[$0].type == .messageReceived }
        let count = UInt32(clamping: messages + Int(unstoredMessages))
        let received = OfflinePackageReceived(index: index, messageCount: count, hasMore: hasMore)
        return Event(received, origin: .offline)
    }
}
