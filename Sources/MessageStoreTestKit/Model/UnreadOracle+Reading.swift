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
        var marker: Place?
        var report: Report?
        /// The report that holds, in force or ended.
        var latest: Report?
        /// The highest place that a report ever told.
        var highest: Place?
    }
}

extension UnreadOracle.Conversation {
    typealias Report = UnreadOracle.Report

    /// The marker and the report as of the end of the log.
    var reading: UnreadOracle.Reading {
        var reading = UnreadOracle.Reading()
        for entry in entries {
            if let target = Self.readTarget(of: entry) { read(target, entry, &reading) }
            if let told = Self.report(of: entry) { take(told, entry, &reading) }
        }
        return reading
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

    private func read(_ target: Place?, _ entry: UnreadOracle.Entry, _ reading: inout UnreadOracle.Reading) {
        let newest = before(entry.position).newestMessage
        let known = [newest, reading.highest, reading.marker].compactMap { $0 }.max()
        let before = reading.marker
        reading.marker = [before, target ?? known].compactMap { $0 }.max()
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
            return
        }
        var told = told
        let newest = before(entry.position).newestMessage
        if told.isAlone {
            told.place = [newest, reading.highest, reading.marker].compactMap { $0 }.max()
            // With a number of 0 all is read.
            told.isAlone = told.count > 0
        } else if told.place == nil {
            told.place = [newest, told.time.map { Place(time: $0) }].compactMap { $0 }.max()
        }
        reading.latest = told
        reading.highest = [reading.highest, told.place].compactMap { $0 }.max()
        let isRead = !told.isAlone && reading.marker.map { marker in told.place.map { $0 <= marker } ?? false } ?? false
        reading.report = isRead ? nil : told
    }
}
