internal import MessageStoreLog

/// The projection of timelines: messages in their conversation's order, how far they were cleared, and which
/// stretches are known to have no holes.
struct Timeline: ~Copyable {
    private var key = ByteWriter(capacity: 320)
    private var value = ByteWriter(capacity: 32)

    mutating func apply(_ changes: borrowing TimelineChanges, _ views: inout Views) {
        for change in changes.list {
            key.removeAll()
            key.appendBigEndian(change.conversation)
            key.append(changes.order(of: change))
            if let row = change.after {
                value.removeAll()
                row.write(to: &value)
                views.put(.timeline, key.bytes, value.bytes)
            } else {
                views.remove(.timeline, key.bytes)
            }
        }
    }

    mutating func apply(_ event: RecordView, _ views: inout Views) throws {
        switch event.type {
        case .historyCleared:
            if let order = try event.order(3) ?? views.newestOrder(in: event.conversation) {
                try raiseFloor(of: event.conversation, to: order, &views)
            }
        case .conversationDeleted:
            if event.number(3) == 1, let order = try views.newestOrder(in: event.conversation) {
                try raiseFloor(of: event.conversation, to: order, &views)
            }
        case .chatRoomLeft:
            if event.purgesChatRoom, let order = try views.newestOrder(in: event.conversation) {
                try raiseFloor(of: event.conversation, to: order, &views)
            }
        case .historyPageLoaded:
            try addRange(event, &views)
        default: break
        }
    }

    private func raiseFloor(of conversation: UInt32, to order: [UInt8], _ views: inout Views) throws {
        let key = RowKey.number(conversation)
        if let floor = try views.floor(of: conversation), !floor.lexicographicallyPrecedes(order) { return }
        views.put(.timelineFloors, key.span.bytes, order.span.bytes)
    }

    /// Adds a stretch without holes and merges it with those it touches.
    private func addRange(_ event: RecordView, _ views: inout Views) throws {
        guard let newest = event.order(3), let oldest = event.order(5, isLowerEnd: true) else { return }
        var merged = TimelineRange(
            newest: newest, oldest: oldest, reachesBeginning: event.number(7) == 1, reachesEnd: event.number(8) == 1)
        for range in try views.ranges(of: event.conversation) where range.touches(merged) {
            views.remove(.timelineRanges, (RowKey.number(event.conversation) + range.newest).span.bytes)
            merged.merge(range)
        }
        views.put(
            .timelineRanges, (RowKey.number(event.conversation) + merged.newest).span.bytes, merged.bytes.span.bytes)
    }
}

/// A stretch of a timeline that is known to have no holes.
struct TimelineRange: Equatable {
    var newest: [UInt8]
    var oldest: [UInt8]
    var reachesBeginning: Bool
    var reachesEnd: Bool

    init(newest: [UInt8], oldest: [UInt8], reachesBeginning: Bool, reachesEnd: Bool) {
        self.newest = newest
        self.oldest = oldest
        self.reachesBeginning = reachesBeginning
        self.reachesEnd = reachesEnd
    }

    init?(newest: [UInt8], _ row: RawSpan) {
        guard let flags = row.load(at: 0, as: UInt8.self) else { return nil }
        self.init(
            newest: newest, oldest: row.extracting(1..<row.byteCount).copied, reachesBeginning: flags & 1 != 0,
            reachesEnd: flags & 2 != 0)
    }

    var bytes: [UInt8] { [(reachesBeginning ? 1 : 0) | (reachesEnd ? 2 : 0)] + oldest }

    func contains(_ order: [UInt8]) -> Bool {
        !order.lexicographicallyPrecedes(oldest) && !newest.lexicographicallyPrecedes(order)
    }

    func touches(_ other: TimelineRange) -> Bool {
        !newest.lexicographicallyPrecedes(other.oldest) && !other.newest.lexicographicallyPrecedes(oldest)
    }

    mutating func merge(_ other: TimelineRange) {
        if newest.lexicographicallyPrecedes(other.newest) { newest = other.newest }
        if other.oldest.lexicographicallyPrecedes(oldest) { oldest = other.oldest }
        reachesBeginning = reachesBeginning || other.reachesBeginning
        reachesEnd = reachesEnd || other.reachesEnd
    }
}
