/// Where a message is in its conversation's order: by time, then by the bytes of its id.
struct Place: Comparable {
    var timeMs: Int64
    var id: String

    static func < (first: Place, second: Place) -> Bool {
        first.timeMs != second.timeMs
            ? first.timeMs < second.timeMs : first.id.utf8.lexicographicallyPrecedes(second.id.utf8)
    }
}

extension Place {
    init(_ event: SyncEvent) { self.init(timeMs: event.timeMs, id: event.id) }
}

/// Every message of a conversation up to a place is erased: those that were delivered, and those that will be.
struct Erasure {
    var conversation: Int32
    var place: Place
    /// Whether the conversation leaves the list, until a later message comes; the place is then that of its newest message.
    var deletesConversation: Bool
}
