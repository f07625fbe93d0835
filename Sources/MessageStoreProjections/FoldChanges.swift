/// One event's changes, handed from projection to projection.
struct FoldChanges: ~Copyable {
    /// Changes of rows of the timeline.
    var timeline = TimelineChanges()
    /// Changes of what conversations are found by.
    var index: [IndexChange] = []
    /// The choices of the event that apply: one that is older than the known one does not.
    var choices: [Choice] = []
    /// The newest place of a chat room before the event left it, and whether messages of the future are above it.
    var newestBefore: (order: OrderKey?, isBelowAhead: Bool)?
    /// Up to where the event's conversation is read, and whether the event changed that; nil if nothing has a timer.
    var reading: (marker: ReadMarker, isMoved: Bool)?
    /// The conversations whose stretches the end of a sync joined.
    var joined: [ConversationNumber] = []

    @inline(__always)
    mutating func removeAll() {
        if !timeline.list.isEmpty { timeline.removeAll() }
        if !index.isEmpty { index.removeAll(keepingCapacity: true) }
        if !choices.isEmpty { choices.removeAll(keepingCapacity: true) }
        if newestBefore != nil { newestBefore = nil }
        if reading != nil { reading = nil }
        if !joined.isEmpty { joined.removeAll() }
    }

    mutating func index(_ key: ConversationIndexKey, _ conversation: ConversationNumber, _ isIndexed: Bool) {
        index.append(IndexChange(key: key, conversation: conversation, isIndexed: isIndexed))
    }

    /// Changes a value by which a conversation is found.
    mutating func reindex(
        _ conversation: ConversationNumber, from old: ConversationIndexKey?, to new: ConversationIndexKey?
    ) {
        guard old != new else { return }
        if let old { index(old, conversation, false) }
        if let new { index(new, conversation, true) }
    }

    /// Changes the values by which a conversation is found.
    mutating func reindex(
        _ conversation: ConversationNumber, from old: Set<ConversationIndexKey>, to new: Set<ConversationIndexKey>
    ) {
        for key in old.subtracting(new) { index(key, conversation, false) }
        for key in new.subtracting(old) { index(key, conversation, true) }
    }
}

/// A conversation is found by a value from now on, or no longer.
struct IndexChange {
    let key: ConversationIndexKey
    let conversation: ConversationNumber
    let isIndexed: Bool
}
