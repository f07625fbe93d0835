internal import MessageStore

/// The read marker, and the place of a number that the server reported (d31, d50, d51).
extension StoreModel {
    /// A day: what is told of a later time counts as of a day after it was recorded.
    static let greatestLead: Int64 = 86_400_000

    /// The latest time that counts of what the last event says.
    var latestTime: Int64 { clock.latest }

    /// Moves the read marker up. A number that was reported alone ends where all is read, or what it counts up to; a marker
    /// that the server tells ends it where it moves to the newest message or beyond.
    ///
    /// - Parameters:
    ///   - told: nil for all that is known.
    ///   - floor: Up to where the event clears the history, `.some(nil)` where nothing is known; nil where it does not.
    mutating func read(
        upTo told: MessageOrder?, in key: ConversationKey, isMarker: Bool = false, clearing floor: Order?? = nil
    ) {
        let isLocal = log.last?.origin == .local
        let (newest, isBelowAhead) = (newestReported(in: key), isBelowAhead(in: key))
        let named = floor == nil ? told.flatMap { placeForReading(Order($0), in: key) } : nil
        let isAll = told == nil || named?.isAhead == true && isLocal
        let place = named?.readingOrder ?? told.map { floor == nil ? Order($0).capped(at: latestTime) : Order($0) }
        let position = UInt64(log.count)
        let (before, unread) = (conversations[key], unread(of: key))
        let isOwn = isLocal && log.last?.payload is ConversationRead
        change(key) { entry in
            let reached = isAll ? [newest, entry.countedUpTo].compactMap(\.self).max() : place
            let target = floor == nil ? reached : [reached, floor ?? nil, entry.floor].compactMap(\.self).max()
            let marker = entry.readUpTo
            let isMoved = target.map { marker.isBelow($0) } ?? false
            let isReading = isOwn && target?.shown.id != nil
            if isAll {
                entry.report?.isOpen = false
                if isBelowAhead { entry.aheadReadUpTo = position }
            } else if let target {
                let reachesReport = entry.report?.place.map { target >= $0 } ?? (newest != nil)
                let reachesNewest = newest.map { target >= $0 } ?? false
                if reachesReport, !isMarker || isMoved && reachesNewest { entry.report?.isOpen = false }
            }
            if isMoved { entry.report?.isReadSince = true }
            if let id = told?.id, named == nil, floor == nil, !isAll, let target {
                if isMoved { entry.readAt = 0 }
                entry.namedUpTo[id] = max(entry.namedUpTo[id] ?? target, target)
            } else {
                if isMoved || isReading && target != nil && target == marker { entry.readAt = isReading ? position : 0 }
                entry.placedUpTo.raise(to: target)
            }
        }
        // To read again what this device read has no effect.
        if let before, before.readAt != 0, before.readUpTo == conversations[key]?.readUpTo,
            unread == self.unread(of: key)
        {
            change(key) { $0.readAt = before.readAt }
        }
    }

    /// The message that a marker names, where its time is known: not that of one that was cut off.
    func placeForReading(_ told: Order, in key: ConversationKey) -> MessageEntry? {
        guard let id = told.shown.id, let entry = entry(.server(id), in: key), !entry.isTimeProvisional,
            !cut.contains(entry.local)
        else { return nil }
        return entry
    }

    /// Markers whose messages are known by now move to their places.
    mutating func placeNamed(in key: ConversationKey) {
        guard let named = conversations[key]?.namedUpTo, !named.isEmpty else { return }
        let places = named.compactMapValues { placeForReading($0, in: key)?.readingOrder }
        change(key) { entry in
            let marker = entry.readUpTo
            for (id, place) in places {
                entry.namedUpTo[id] = nil
                entry.placedUpTo.raise(to: place)
            }
            if entry.readUpTo != marker { entry.readAt = 0 }
        }
    }

    /// Whether a message is above the read marker, by its place for reading.
    func isAboveMarker(_ message: MessageEntry) -> Bool {
        guard let entry = conversations[message.conversation] else { return true }
        let marker = entry.readUpTo
        if message.isFromFuture {
            return message.local > entry.aheadReadUpTo && marker.isBelow(message.readingOrder)
        }
        if marker.isBelow(message.order) { return true }
        return entry.readAt != 0 && message.local > entry.readAt && message.order.time == marker?.time
    }

    func isUnread(_ message: MessageEntry) -> Bool {
        guard let entry = conversations[message.conversation], message.countsUnread else { return false }
        return isAboveMarker(message) && (!message.needsMarker || entry.showsHistory)
    }

    /// Looks for the place of the number that the server reported.
    mutating func findPlace(in key: ConversationKey) {
        guard let entry = conversations[key], let report = entry.report, entry.isReportInForce else { return }
        let newest = newestReported(in: key)
        let place = report.count == 0 ? report.place : placeBelow(report, in: key)
        guard let place else { return }
        change(key) { entry in
            let isReadSince = entry.report?.isReadSince == true
            if !isReadSince, let marker = entry.readUpTo, place < marker {
                (entry.placedUpTo, entry.namedUpTo) = (place, [:])
            }
            if !isReadSince { entry.readAt = 0 }
            if entry.readUpTo.isBelow(place) { entry.readAt = 0 }
            entry.placedUpTo.raise(to: place)
            if report.isOpen { entry.report?.place.raise(to: newest) }
            entry.report?.isOpen = false
            entry.report?.isPlaced = true
        }
    }

    /// The place below as many messages as the number counts; nil where the timeline does not show it.
    private func placeBelow(_ report: Report, in key: ConversationKey) -> Order? {
        guard let stretches = conversations[key]?.stretches else { return nil }
        var stretch = sync.isSyncing ? nil : stretches.head?.stretch
        if !report.isOpen, let place = report.place {
            guard newestReported(in: key).map({ $0 >= place }) ?? false || !sync.isSyncing else { return nil }
            stretch = stretches.all.first { $0.contains(place) }
        }
        guard let stretch else { return nil }
        var wanted = Int(report.count)
        if report.isOpen { wanted += unread(of: key).messages - Int(report.count) }
        let floor = conversations[key]?.floor ?? .lowest
        let rows = visible(in: key).filter { row in
            !row.order.isUnsent && row.order >= stretch.low && row.order > floor
                && (report.isOpen || row.order <= report.place ?? .highest)
        }
        var oldest: Order?
        // What is from the future and not read has another place for the server than here.
        let ahead = visible(in: key).filter { row in
            row.isFromFuture && row.countsUnread && row.local > conversations[key]?.aheadReadUpTo ?? 0
                && row.order >= stretch.low && (report.isOpen || row.readingOrder <= report.place ?? .highest)
        }.map(\.readingOrder).max()
        func unlessAhead(_ place: Order) -> Order? { ahead.map { $0 <= place } ?? true ? place : nil }
        for row in rows.reversed() where !row.isFromFuture {
            if wanted == 0 {
                if row.serverID != nil, !row.isTimeProvisional { return unlessAhead(row.order) }
            } else if row.countsUnread {
                wanted -= 1
                oldest = row.order
            }
        }
        guard wanted == 0 else { return nil }
        guard let oldest, oldest.time > 0 else {
            return unlessAhead(max(floor, Order(lowEnd: MessageOrder(time: .unknown))))
        }
        return unlessAhead(max(floor, Order(MessageOrder(time: Timestamp(milliseconds: oldest.time - 1)))))
    }

    /// Messages that count arrived: those that the server counts are the newest ones at its place.
    mutating func noteArrivals(_ arrived: [MessageEntry], in key: ConversationKey) {
        for message in arrived.sorted(by: { $0.order < $1.order }) where !message.isFromFuture {
            guard let entry = conversations[key], let report = entry.report, let place = report.place else { continue }
            if report.isPlaced, !report.isReadSince {
                guard entry.readUpTo.isBelow(message.order), message.order <= place else { continue }
                let oldest = visible(in: key).first { isUnread($0) && !$0.isFromFuture }
                change(key) { entry in
                    entry.placedUpTo = oldest?.order
                    entry.readAt = 0
                }
            } else if entry.isReportInForce, !report.isOpen {
                findPlace(in: key)
            }
        }
    }

    /// The messages of a conversation that are shown and count.
    func counting(in key: ConversationKey) -> Set<UInt64> {
        Set(messages.values.filter { $0.conversation == key && $0.countsUnread && isVisible($0) }.map(\.local))
    }

    /// Whether there are messages from the future, seen from their recording or from the last event.
    func isBelowAhead(in key: ConversationKey) -> Bool {
        messages.values.contains {
            $0.conversation == key && !$0.isGone && !$0.order.isUnsent && !$0.isTimeProvisional
                && ($0.order.time > latestTime || $0.isFromFuture)
        }
    }
}

extension StoreModel.ConversationEntry {
    /// Whether the server's number is shown for what is below its place.
    var isReportInForce: Bool {
        guard let report else { return false }
        return report.isOpen || !report.isPlaced && report.place.map { readUpTo.isBelow($0) } ?? false
    }

    /// Whether messages of the past are unread above the marker.
    var showsHistory: Bool { readUpTo != nil || isReportInForce && (report?.isOpen == true || report?.place != nil) }
}

extension StoreModel.Order {
    /// The same place, at the latest possible time.
    func capped(at latest: Int64) -> Self {
        var order = self
        order.time = min(time, latest)
        return order
    }
}
