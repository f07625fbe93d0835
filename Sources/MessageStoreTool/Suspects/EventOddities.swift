internal import Foundation

/// A feature of an event that few others have, as a sentence with its number.
struct Oddity {
    /// How unlikely it is among the log's events, in bits.
    let bits: Double
    let words: String
}

/// Compares events with the others of their log: by kind, clock, place, policy, count and moment.
struct EventOddities {
    /// Events that have a code and a clock in common.
    private struct Group: Hashable {
        let type: EventType
        let origin: Origin?
        let device: DeviceID?

        init(_ event: Event, origin: Origin? = nil) { (type, self.origin, device) = (event.type, origin, event.device) }
    }

    /// A policy of messages of one origin and type of content.
    private struct Policy: Hashable {
        let origin: Origin
        let type: ContentType
        let countsUnread: Bool?
    }

    private var count = 0
    private var kinds: [Group: Int] = [:]
    /// How much later than its recording each event of a group says that it was, in milliseconds.
    private var leads: [Group: [Int64]] = [:]
    private var times: Set<Int> = []
    private var policies: [Policy: Int] = [:]
    /// Events of a type in one second.
    private var moments: [Int: Int] = [:]
    private var reports: [ConversationKey: [(position: Position, count: UInt32)]] = [:]
    private var findings: [Position: [Oddity]] = [:]

    /// Reads the log once, and once more for what `doctor` finds in it.
    init(of store: MessageStore, through last: Position, _ names: Names, progress: MessageStore.ReplayProgress) throws {
        try store.forEachEvent(to: last) { event in
            note(event)
            return true
        }
        leads = leads.mapValues { $0.sorted() }
        let examination = try Examination(store, limit: 1_000, skipsEffects: true, progress: progress)
        for (symptom, found, _) in examination.findings {
            for finding in found.first {
                guard let position = finding.position, position <= last else { continue }
                let bits = log2(Double(max(count, 2)) / Double(found.count))
                let note = finding.note.map { ": \($0(names))" } ?? ""
                let amount = found.count == 1 ? "alone" : "one of \(NumberFormat.count(found.count))"
                let words = "\(amount) among \(symptom.words)\(note)"
                findings[position, default: []].append(Oddity(bits: bits, words: words))
            }
        }
    }

    /// The events about which `doctor` says something.
    var foundPositions: Set<Position> { Set(findings.keys) }

    private mutating func note(_ recorded: RecordedEvent) {
        let event = recorded.event
        count += 1
        kinds[Group(event, origin: event.origin), default: 0] += 1
        if let time = Self.time(of: event) {
            leads[Group(event), default: []].append(time.milliseconds &- recorded.clockTime.milliseconds)
        }
        if !event.type.isMessage { moments[Self.moment(recorded), default: 0] += 1 }
        switch event.payload {
        case let message as MessageReceived:
            times.insert(Self.place(event, message.sentTime))
            for policy in Self.policies(of: message, event) { policies[policy, default: 0] += 1 }
        case let sent as MessageSent: if let time = sent.sentTime { times.insert(Self.place(event, time)) }
        case let report as UnreadCountReported: noteReport(report.count, recorded)
        case let summary as ConversationSummaryReceived:
            if let unread = summary.unread { noteReport(unread.count, recorded) }
        default: break
        }
    }

    private mutating func noteReport(_ count: UInt32, _ recorded: RecordedEvent) {
        if let key = recorded.event.conversation { reports[key, default: []].append((recorded.position, count)) }
    }

    /// The features of an event that few others have, the rarest first.
    func oddities(of recorded: RecordedEvent) -> [Oddity] {
        let event = recorded.event
        let kind = kinds[Group(event, origin: event.origin)] ?? 1
        var found = findings[recorded.position] ?? []
        if kind <= max(3, count / 1_000) {
            let device = event.device.map { ", device \($0)" } ?? ""
            let amount = kind == 1 ? "the only" : "one of \(kind)"
            let words =
                "\(amount) \(event.payload.typeName) of origin \(event.origin)\(device) in \(NumberFormat.count(count, "event", "events"))"
            found.append(Oddity(bits: log2(Double(count) / Double(kind)), words: words))
        }
        found += [lead(recorded), place(recorded), jump(recorded), burst(recorded)].compactMap { $0 }
        if let message = event.payload as? MessageReceived { found += policy(message, event) }
        return found.ordered { $1.bits < $0.bits }
    }

    /// Its clock against those of the other events of its type and device.
    private func lead(_ recorded: RecordedEvent) -> Oddity? {
        guard let time = Self.time(of: recorded.event), let leads = leads[Group(recorded.event)] else { return nil }
        let sorted = leads
        let (own, median) = (time.milliseconds &- recorded.clockTime.milliseconds, sorted[sorted.count / 2])
        let distance = Int64(clamping: (own &- median).magnitude)
        guard distance >= 60_000, sorted.count >= 4 else { return nil }
        // The times as far off lie at both ends.
        let asFar =
            sorted.index(of: median &- distance &+ 1) + sorted.count - sorted.index(of: median &+ distance)
        guard asFar * 4 <= sorted.count else { return nil }
        let side = own > median ? "later" : "earlier"
        return Oddity(
            bits: log2(Double(sorted.count) / Double(asFar)) + log2(Double(distance) / 60_000),
            words: "its time is \(NumberFormat.duration(.milliseconds(distance))) \(side) than is usual for the "
                + "\(NumberFormat.count(sorted.count)) of its type and device; \(asFar) are as far off")
    }

    /// A place that is the time of no message.
    private func place(_ recorded: RecordedEvent) -> Oddity? {
        let event = recorded.event
        guard let place = event.places.first, place.time != .latest, !times.contains(Self.place(event, place.time))
        else {
            return nil
        }
        return Oddity(bits: 3, words: "it names \(place.time), the time of no message of the conversation")
    }

    /// A count of the server against the one before.
    private func jump(_ recorded: RecordedEvent) -> Oddity? {
        guard let key = recorded.event.conversation, let reports = reports[key],
            case let index = reports.map(\.position).index(of: recorded.position), index < reports.count,
            reports[index].position == recorded.position
        else { return nil }
        let (now, before) = (Int(reports[index].count), index > 0 ? Int(reports[index - 1].count) : 0)
        guard abs(now - before) > 1 else { return nil }
        return Oddity(bits: log2(Double(abs(now - before))) + 1, words: "its count is \(now), after \(before)")
    }

    /// Many events of its type in one second.
    private func burst(_ recorded: RecordedEvent) -> Oddity? {
        let together = moments[Self.moment(recorded)] ?? 0
        guard together >= 5 else { return nil }
        return Oddity(bits: log2(Double(together)) / 2, words: "one of \(together) of its type within a second")
    }

    /// A policy that few messages of its origin and type of content have.
    private func policy(_ message: MessageReceived, _ event: Event) -> [Oddity] {
        let counts = Self.policies(of: message, event).map { policies[$0] ?? 0 }
        guard counts[0] * 10 <= counts[1] else { return [] }
        let words =
            "its countsUnread is \(message.policy.countsUnread), as of \(counts[0]) of \(NumberFormat.count(counts[1])) of its origin and type"
        return [Oddity(bits: log2(Double(counts[1]) / Double(counts[0])), words: words)]
    }

    private static func policies(of message: MessageReceived, _ event: Event) -> [Policy] {
        [message.policy.countsUnread, nil].map {
            Policy(origin: event.origin, type: message.content.type, countsUnread: $0)
        }
    }

    private static func place(_ event: Event, _ time: Timestamp) -> Int {
        [event.conversation.hashValue, time.hashValue].hashValue
    }

    private static func moment(_ recorded: RecordedEvent) -> Int {
        [recorded.event.type.hashValue, Int(recorded.clockTime.milliseconds / 1_000)].hashValue
    }

    /// The time that an event says it is of: a choice's, a message's, or the place up to which it reads or counts.
    private static func time(of event: Event) -> Timestamp? {
        let time = event.places.first?.time ?? event.serverTime
        return time == .unknown || time == .latest ? nil : time
    }
}

extension Array where Element: Comparable {
    /// The first index of a sorted array whose element is not less than one; the count if there is none.
    fileprivate func index(of element: Element) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
