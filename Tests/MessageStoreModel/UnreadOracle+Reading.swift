internal import MessageStore

extension UnreadOracle {
    /// A server's count, with the place up to which it speaks.
    struct Report {
        var count: Int
        var mentions: Int
        var place: Place?
        var time: Timestamp?
        /// Whether neither a place nor a time was told.
        var isAlone: Bool
    }

    /// Up to where a conversation was read, and the server's count that is in force.
    struct Reading {
        var marker: Place? { [placed, named.values.max()].compactMap { $0 }.max() }
        /// The highest of the markers whose places are known, and the others by the message that they name (d51).
        var placed: Place?
        var named: [ServerMessageID: Place] = [:]
        /// The reading of this device that set the marker.
        var readAt: UInt64?
        /// The last event that read all; messages from the future that were there are read by it.
        var allReadAt: UInt64 = 0
        /// Whether the number that was reported last is a place, and nothing was read since.
        var isPlaced = false
        var report: Report?
        /// The report that holds, in force or ended.
        var latest: Report?
        /// The highest place that a report ever told.
        var highest: Place?
        /// The same of reports that are not a number alone, which speaks of its moment.
        var highestNamed: Place?

        /// Whether a message is above the marker, or arrived at its time after this device read.
        func isAboveMarker(_ message: Message) -> Bool {
            if message.isFromFuture, message.id <= allReadAt { return false }
            guard let marker, let place = message.readingPlace else { return true }
            if place > marker { return true }
            return !message.isFromFuture && place.time == marker.time && readAt.map { $0 < message.id } ?? false
        }
    }
}

extension UnreadOracle.Conversation {
    typealias Report = UnreadOracle.Report

    /// The marker and the report as of the end of the log.
    var reading: UnreadOracle.Reading {
        var reading = UnreadOracle.Reading()
        var later = placements[...]
        for entry in entries {
            while let next = later.first, next.upTo.rawValue < entry.position {
                take(later.removeFirst().marker, &reading)
            }
            if let target = Self.readTarget(of: entry) { read(target, entry, &reading) }
            if let told = Self.report(of: entry) { take(told, entry, &reading) }
            if !reading.named.isEmpty { settle(upTo: entry.position, &reading) }
        }
        for placement in later { take(placement.marker, &reading) }
        return reading
    }

    /// Takes over the marker of a store that found a number's place.
    private func take(_ marker: MessageOrder?, _ reading: inout UnreadOracle.Reading) {
        guard reading.isPlaced || reading.report != nil else { return }
        let place = marker.map { Place($0) }
        if let place, let known = reading.marker, place < known { (reading.placed, reading.named) = (nil, [:]) }
        reading.placed = [reading.placed, place].compactMap { $0 }.max()
        reading.readAt = nil
        (reading.report, reading.isPlaced) = (nil, true)
    }

    /// Markers whose messages are known by now move to their places.
    private func settle(upTo position: UInt64, _ reading: inout UnreadOracle.Reading) {
        let marker = reading.marker
        for (id, _) in reading.named {
            guard let message = before(position + 1).message(of: id) else { continue }
            reading.named[id] = nil
            reading.placed = [reading.placed, message.readingPlace].compactMap { $0 }.max()
        }
        if reading.marker != marker { reading.readAt = nil }
    }

    /// The message that has an id of the server; nil while it or its time is not known.
    private func message(of id: ServerMessageID) -> Message? {
        messages.last { $0.names.contains(id) && !$0.isProvisional && $0.place != nil }
    }

    /// Where reading, clearing or deleting puts the marker: `.some(nil)` for all that is known; nil where an event does not.
    private static func readTarget(of entry: UnreadOracle.Entry) -> Place?? {
        switch entry.event.payload {
        case let read as ConversationRead: .some(read.upTo.map { Place($0) })
        case let cleared as HistoryCleared: .some(cleared.upTo.map { Place($0) })
        case is ConversationDeleted: .some(nil)
        case let left as ChatRoomLeft: left.purges ? .some(nil) : nil
        case let told as ConversationSummaryReceived: told.readUpTo.map { .some(Place($0)) }
        default: nil
        }
    }

    /// The report that an event tells; its place is nil where the event tells none.
    static func report(of entry: UnreadOracle.Entry) -> Report? {
        let (count, mentions, upTo): (UInt32, UInt32, MessageOrder?)
        switch entry.event.payload {
        case let told as UnreadCountReported: (count, mentions, upTo) = (told.count, told.mentions, told.upTo)
        case let told as ConversationSummaryReceived:
            guard let unread = told.unread else { return nil }
            (count, mentions, upTo) = (unread.count, unread.mentions, unread.upTo)
        default: return nil
        }
        let time = (entry.event.payload as? UnreadCountReported)?.time ?? entry.event.serverTime
        return Report(
            count: Int(count), mentions: Int(mentions), place: upTo.map { Place($0) }, time: time,
            isAlone: upTo == nil && time == nil)
    }

    private func read(_ told: Place?, _ entry: UnreadOracle.Entry, _ reading: inout UnreadOracle.Reading) {
        // An event that clears the history removes messages from the future first.
        let isLeaving = entry.event.payload is ChatRoomLeft
        let (newest, isBelowAhead) = before(entry.position + (isLeaving ? 0 : 1)).newestMessage(at: entry)
        let before = reading.marker
        // What is cleared is read, wherever the message is.
        let isClearing = entry.event.payload is HistoryCleared
        let told = told.flatMap { isClearing && $0.time > UnreadOracle.latestTime(of: entry) ? nil : $0 }
        let id = isClearing ? nil : told?.id
        let named = id.flatMap { self.before(entry.position).message(of: $0) }
        // This device shows a message from the future below all others, so it reads all by it.
        let isAll = told == nil || named?.isAhead == true && entry.event.origin == .local
        let target = isAll ? nil : named?.readingPlace ?? (isClearing ? told : told?.capped(by: entry))
        if isAll, isBelowAhead { reading.allReadAt = entry.position }
        let known = [newest, reading.highest].compactMap { $0 }.max()
        let isReading = entry.event.payload is ConversationRead && entry.event.origin == .local
        if let place = target ?? known {
            let isMoved = before.map { $0 < place } ?? true
            if isMoved { reading.isPlaced = false }
            if let id, named == nil, !isAll {
                reading.named[id] = max(reading.named[id] ?? place, place)
                if isMoved { reading.readAt = nil }
            } else {
                reading.placed = [reading.placed, place].compactMap { $0 }.max()
                if isMoved || before == place && isReading {
                    reading.readAt = isReading && place.id != nil ? entry.position : isMoved ? nil : reading.readAt
                }
            }
        }
        guard let report = reading.report else { return }
        let reached =
            if report.isAlone {
                endsNumberAlone(target, report, newest, marker: before, entry)
            } else {
                report.place.flatMap { place in reading.marker.map { $0 >= place } } ?? false
            }
        if reached { reading.report = nil }
    }

    /// A number alone ends when all is read, or what it stands up to, which is known only where any message or place is. A
    /// marker that the server tells ends it only by moving up to the newest message.
    private func endsNumberAlone(
        _ target: Place?, _ report: Report, _ newest: Place?, marker: Place?, _ entry: UnreadOracle.Entry
    ) -> Bool {
        guard let target else { return true }
        if let place = report.place, target < place { return false }
        let isMarker = entry.event.payload is ConversationSummaryReceived
        guard let newest else { return !isMarker && report.place != nil }
        return !isMarker || target >= newest && marker.map { $0 < target } ?? true
    }

    private func take(_ told: Report, _ entry: UnreadOracle.Entry, _ reading: inout UnreadOracle.Reading) {
        if let latest = reading.latest?.time, let time = told.time, time < latest {
            reading.highest = [reading.highest, told.place].compactMap { $0 }.max()
            if !told.isAlone { reading.highestNamed = [reading.highestNamed, told.place].compactMap { $0 }.max() }
            return
        }
        let isAlone = told.isAlone
        var told = told
        let (newest, isBelowAhead) = before(entry.position).newestMessage(at: entry)
        if told.isAlone, isBelowAhead { reading.allReadAt = entry.position }
        let named = told.place?.id.flatMap { before(entry.position).message(of: $0) }
        told.place = named?.readingPlace ?? told.place?.capped(by: entry)
        reading.isPlaced = false
        if told.isAlone {
            told.place = [newest, reading.highest, reading.marker].compactMap { $0 }.max()
            // With a number of 0 all is read.
            told.isAlone = told.count > 0
        } else if told.place == nil {
            told.place = [newest, told.time.map { Place(time: $0).capped(by: entry) }].compactMap { $0 }.max()
        }
        reading.latest = told
        reading.highest = [reading.highest, told.place].compactMap { $0 }.max()
        if !isAlone { reading.highestNamed = [reading.highestNamed, told.place].compactMap { $0 }.max() }
        let isRead = !told.isAlone && reading.marker.map { marker in told.place.map { $0 <= marker } ?? false } ?? false
        reading.report = isRead ? nil : told
    }
}
