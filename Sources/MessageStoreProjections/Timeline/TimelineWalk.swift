@_spi(Storage) internal import MessageStoreLog

/// Walks a conversation's visible rows: those of the timeline, of some of its marks merged, or of a thread.
struct TimelineWalk {
    struct Row {
        let order: OrderKey
        let row: TimelineRow
    }

    /// Which rows are walked.
    enum Source {
        case timeline
        case marks([UInt32])
        /// The replies of the thread whose first one this is.
        case replies(with: LocalMessageID)
    }

    let conversation: ConversationNumber
    /// Which rows are cleared.
    let clearing: Clearing
    let source: Source
    /// Which of the rows are wanted.
    let isWanted: (TimelineRow) -> Bool
    /// Only messages that are unread above this read marker, in walks towards newer rows.
    var marker: ReadMarker?
    /// Only messages above the read marker of a thread, in the same walks.
    var threadMarker: ReadMarker?

    private var table: ViewTable {
        switch source {
        case .timeline: Timeline.messages.place
        case .marks: TimelineMarks.marks.place
        case .replies: Threads.replies.place
        }
    }

    /// The beginnings of the keys of the walked rows.
    private var prefixes: [[UInt8]] {
        switch source {
        case .timeline: [conversation.bytes]
        case .marks(let marks): marks.map { MarkedPlaceKey(conversation: conversation, mark: $0).bytes }
        case .replies(let first): [ReplyKey(conversation: conversation, firstReply: first).bytes]
        }
    }

    /// Rows below `order`, or the newest, newest first.
    func older(than order: OrderKey?, limit: Int, _ snapshot: borrowing ViewSnapshot) throws -> (
        rows: [Row], hasMore: Bool
    ) {
        var found: [Row] = []
        for prefix in prefixes {
            let end = prefix + (order ?? .aboveAll).bytes
            var cursor = try snapshot.rowsBackwards(table, before: end.span.bytes)
            let limit = found.count + limit
            var kept = clearing.kept.count
            while found.count <= limit, try cursor.next(), let order = cursor.key.removing(prefix) {
                let isBelowFloor = !clearing.floor.precedes(order)
                if isBelowFloor, kept == 0 { break }
                let row: TimelineRow = try cursor.decoded()
                if isBelowFloor {
                    guard clearing.kept.contains(row.local) else { continue }
                    kept -= 1
                }
                if isWanted(row) { found.append(Row(order: OrderKey(order), row: row)) }
            }
        }
        if prefixes.count > 1 { found.sort { $1.order < $0.order } }
        return Self.first(limit, of: found)
    }

    /// Rows above `order`, oldest first.
    func newer(
        than order: OrderKey, limit: Int, isInclusive: Bool, _ snapshot: borrowing ViewSnapshot
    ) throws -> (rows: [Row], hasMore: Bool) {
        var found: [Row] = []
        for prefix in prefixes {
            let limit = found.count + limit
            try forEach(from: order, prefix, snapshot) { place, row in
                if !isInclusive, place.isEqual(to: order.bytes.span.bytes) { return true }
                found.append(Row(order: OrderKey(place), row: row))
                return found.count <= limit
            }
        }
        if prefixes.count > 1 { found.sort { $0.order < $1.order } }
        return Self.first(limit, of: found)
    }

    private static func first(_ limit: Int, of rows: consuming [Row]) -> (rows: [Row], hasMore: Bool) {
        let surplus = rows.count - limit
        if surplus > 0 { rows.removeLast(surplus) }
        return (rows, surplus > 0)
    }

    /// How many rows are above `order`.
    func count(above order: OrderKey, _ snapshot: borrowing ViewSnapshot) throws -> Int {
        var count = 0
        for prefix in prefixes {
            try forEach(from: order, prefix, snapshot) { place, _ in
                if !place.isEqual(to: order.bytes.span.bytes) { count += 1 }
                return true
            }
        }
        return count
    }

    func hasAny(notBelow order: OrderKey, _ snapshot: borrowing ViewSnapshot) throws -> Bool {
        try !newer(than: order, limit: 1, isInclusive: true, snapshot).rows.isEmpty
    }

    func hasAny(notAbove order: OrderKey, _ snapshot: borrowing ViewSnapshot) throws -> Bool {
        try !older(than: order.next, limit: 1, snapshot).rows.isEmpty
    }

    /// Calls `body` with the wanted rows, oldest first, until it returns false.
    func forEach(_ snapshot: borrowing ViewSnapshot, _ body: (_ order: RawSpan, TimelineRow) -> Bool) throws {
        for prefix in prefixes { try forEach(from: .belowAll, prefix, snapshot, body) }
    }

    /// Calls `body` with the wanted rows at and above `order`, oldest first, until it returns false.
    private func forEach(
        from order: OrderKey, _ prefix: [UInt8], _ snapshot: borrowing ViewSnapshot,
        _ body: (_ order: RawSpan, TimelineRow) -> Bool
    ) throws {
        let start = prefix + (clearing.kept.isEmpty ? max(order, clearing.floor) : order).bytes
        var cursor = try snapshot.rows(table, from: start.span.bytes)
        while try cursor.next(), let order = cursor.key.removing(prefix) {
            let row: TimelineRow = try cursor.decoded()
            guard clearing.shows(row.local, at: order), isWanted(row) else { continue }
            if let marker, try !marker.isUnread(row) || !snapshot.isAbove(marker, row, at: order) { continue }
            if let threadMarker, try !snapshot.isAbove(threadMarker, row, at: order) { continue }
            guard body(order, row) else { return }
        }
    }
}

extension RawSpan {
    /// What follows `prefix`, or nil where the bytes do not begin with it.
    @_lifetime(copy self)
    func removing(_ prefix: [UInt8]) -> RawSpan? {
        guard byteCount >= prefix.count, extracting(0..<prefix.count).isEqual(to: prefix.span.bytes) else { return nil }
        return extracting(prefix.count..<byteCount)
    }
}
