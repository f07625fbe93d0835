@_spi(Storage) internal import MessageStoreLog

/// The read marker, and the counts above it.
extension UnreadCounters {
    /// The newest place that this store heard of, by a message or by a server's count, and whether messages of the
    /// future are above it; empty if nothing is known.
    private mutating func newestKnown(
        _ event: RecordView, _ reported: (order: OrderKey?, isBelowAhead: Bool)?, _ rows: inout FoldRows
    ) throws -> (order: OrderKey, isBelowAhead: Bool) {
        let newest = try reported ?? rows.snapshot.newestReported(in: event.conversationNumber, asOf: event)
        let counted = try cache[slot(event.conversationNumber, &rows)].row.countedUpTo
        return (max(newest.order ?? .belowAll, counted), newest.isBelowAhead)
    }

    /// Moves the read marker up, never down; up to all that is known if `reported` is nil.
    ///
    /// - Parameters:
    ///   - isMarker: Whether the server reports where its read marker is, now as before, and not that something was
    ///     read.
    ///   - newest: The newest place, and whether messages of the future are above it; nil for the timeline's.
    mutating func read(
        _ event: RecordView, upTo reported: OrderKey?, isMarker: Bool = false,
        newest: (order: OrderKey?, isBelowAhead: Bool)? = nil, _ rows: inout FoldRows
    ) throws {
        let conversation = event.conversationNumber
        var place = try ReadingPlace(reported, of: event, rows.snapshot)
        // Cleared messages are read, wherever the message is that the event names.
        if event.raisesFloor, let reported { place = .upTo(reported) }
        if let reports = rows.reports, let reported = reported.flatMap({ MessageOrder($0) }), reported.id == nil,
            let time = place.order.flatMap({ MessageOrder($0) })?.time, time < reported.time
        {
            reports.add(.capped(reported.time, to: time), by: .unreadCounters, at: event.position)
        }
        let known = try place.order == nil ? newestKnown(event, newest, &rows) : nil
        var order = place.order ?? known?.order ?? .belowAll
        if event.raisesFloor { order = try max(order, rows.snapshot.floor(of: conversation) ?? .belowAll) }
        let row = try cache[slot(conversation, &rows)].row
        var endsReport = place.order == nil
        if row.report.isOpen, !endsReport {
            let newest = try rows.snapshot.newestReported(in: conversation, asOf: event).order
            endsReport = row.endsOpenReport(readingUpTo: order, isMarker: isMarker, newest: newest)
        }
        // A time without an id covers all messages of that time.
        let isReading = event.type == .conversationRead && event.origin == .local && order.serverID != nil
        var serverID: [UInt8]?
        if case .unknown(_, let id) = place { serverID = id }
        if let serverID {
            let key = ServerIDKey(conversation: conversation, serverID: serverID)
            let old = try rows.snapshot.row(Self.namedMarkers, key)
            rows.put(Self.namedMarkers, key, OrderRow(max(order, old?.order ?? order)))
        }
        try recount(event, &rows) { row in
            if known?.isBelowAhead == true { row.aheadReadUpTo = event.position.rawValue }
            if serverID != nil {
                row.read(upToNamed: order, endsOpenReport: endsReport)
            } else {
                row.read(upTo: order, by: isReading ? event.position.rawValue : 0, endsOpenReport: endsReport)
            }
            // A clearing reads the messages at the time of the read marker as well.
            if event.raisesFloor, row.readUpTo == order { row.readAt = 0 }
        }
    }

    /// Whether an event may show which message a read marker names.
    static func mayNameMessage(_ type: EventType) -> Bool {
        switch type {
        case .messageReceived, .messageSent, .messageDuplicateSuppressed, .messageSnapshotReceived: true
        default: false
        }
    }

    /// Moves the read markers that name messages to the places of messages that are known now.
    mutating func placeNamed(_ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        guard try !cache[slot(conversation, &rows)].row.namedUpTo.isEmpty else { return }
        if event.type == .messageReceived {
            let key = ServerIDKey(conversation: conversation, serverID: event.serverID.copied)
            guard try rows.snapshot.row(Self.namedMarkers, key) != nil else { return }
        }
        var places: [OrderKey] = []
        var highest = OrderKey.belowAll
        for (key, order) in try rows.snapshot.namedMarkers(of: conversation) {
            if let place = try rows.snapshot.readingPlace(of: key.serverID, in: conversation) {
                places.append(place.order)
                rows.remove(Self.namedMarkers, key)
            } else {
                highest = max(highest, order)
            }
        }
        guard !places.isEmpty else { return }
        try recount(event, &rows) { row in
            let marker = row.readUpTo
            row.namedUpTo = highest
            for place in places { row.placedUpTo = max(row.placedUpTo, place) }
            if row.readUpTo != marker { row.readAt = 0 }
        }
    }

    /// Changes the place that counts begin at, and counts the rows that remain above it.
    mutating func recount(
        _ event: RecordView, _ rows: inout FoldRows, _ change: (inout UnreadRow) -> Void
    ) throws {
        let before = try cache[slot(event.conversationNumber, &rows)].row
        var after = before
        change(&after)
        if after != before { try recount(event, &rows, from: before, after) }
    }

    /// Counts what remains above the changed read marker of a row.
    private mutating func recount(
        _ event: RecordView, _ rows: inout FoldRows, from before: UnreadRow, _ changed: UnreadRow
    ) throws {
        let conversation = event.conversationNumber
        var after = changed
        isMarkerMoved = true
        (after.count, after.mentions, after.everyoneMentions) = (0, 0, 0)
        // The rows that do not say what they count.
        var others: [TimelineRow] = []
        let marker = after.marker
        try rows.snapshot.forEachRow(above: marker, after.countedFrom, in: conversation, folding: event) {
            _, row in
            guard marker.isUnread(row) else { return true }
            if row.flags.contains(.mentionsAccount) || after.report.isOpen {
                others.append(row)
            } else if !after.add(UnreadWeight(messages: 1)) {
                throw Self.impossibleCount(conversation)
            }
            return true
        }
        for row in others {
            if after.report.isOpen, try Self.isFromHistory(row, event, rows) { continue }
            guard after.add(try Self.weight(of: row, event, rows)) else { throw Self.impossibleCount(conversation) }
        }
        // To read again what this device read has no effect.
        if before.readAt != 0 {
            var unmoved = after
            unmoved.readAt = before.readAt
            if unmoved == before { return }
        }
        try update(conversation, &rows) { $0 = after }
    }

    /// Counts anew after a policy cleared messages and moved no read marker: cleared messages count no longer, and
    /// messages that arrive below the policy's place never do.
    mutating func clear(_ event: RecordView, _ rows: inout FoldRows) throws {
        let before = try cache[slot(event.conversationNumber, &rows)].row
        var after = before
        after.flags.insert(.isCleared)
        try recount(event, &rows, from: before, after)
        isMarkerMoved = false
    }

    /// Takes a server's count.
    mutating func report(_ event: RecordView, _ rows: inout FoldRows) throws {
        guard let reported = event.reportedCount else { return }
        var place = try rows.snapshot.place(of: reported, event)
        if let upTo = place {
            place = event.capped(upTo)
            if let id = upTo.serverID, let named = try rows.snapshot.readingPlace(of: id, in: event.conversationNumber)
            {
                place = named.order
            }
        }
        let newest = try newestKnown(event, nil, &rows)
        try recount(event, &rows) { row in
            row.take(UnreadReport(reported, upTo: place ?? max(newest.order, row.readUpTo)))
            if reported.isAlone, newest.isBelowAhead { row.aheadReadUpTo = event.position.rawValue }
        }
        if !reported.isAlone || reported.count == 0 { try findPlace(event, &rows) }
    }
}

extension RecordView {
    /// Whether the event clears messages, which have a floor of their own.
    fileprivate var raisesFloor: Bool {
        switch type {
        case .historyCleared: true
        case .conversationDeleted: self[ConversationDeleted.alsoMessages]
        default: false
        }
    }
}
