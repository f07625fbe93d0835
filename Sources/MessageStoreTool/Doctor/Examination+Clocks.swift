/// The times that one source gives its events: whether they have milliseconds.
struct TimeRun {
    /// Fewer times in whole seconds in a row may be chance.
    static let minimum = 4

    var last: Timestamp?
    var exact = 0
    /// The last event of the source with milliseconds, of whatever origin, before those in whole seconds.
    var lastExact: RecordedEvent?
    /// The last times in whole seconds, up to the minimum; and how many.
    var cut: [RecordedEvent] = []
    var count = 0
}

extension Examination {
    /// Compares the times in an event with its recording and with other events, and checks for milliseconds.
    mutating func examineClocks(_ event: Event, _ recorded: RecordedEvent) {
        let loss = choices.examine(recorded)
        var time = event.serverTime
        switch event.payload {
        case let message as MessageReceived: times[Self.key(event.conversation, message.sentTime)] = true
        case let sent as MessageSent: sent.sentTime.map { times[Self.key(event.conversation, $0)] = true }
        case _ where event.type.has(.mergedByTime):
            if let loss { examineLoss(loss) } else { pass(.lostChoice, recorded) }
        default: break
        }
        let receipt = event.payload is MessageSnapshotReceived ? nil : event.receipt
        let places = event.places.map(\.time)
        if receipt != nil || !places.isEmpty {
            time = places.first ?? event.serverTime
            let named = places.isEmpty && receipt?.isOwn == false ? [time].compactMap { $0 } : places
            let ahead = named.first { recorded.lead(of: $0) != nil && times[Self.key(event.conversation, $0)] == nil }
            if let lead = ahead.flatMap(recorded.lead) {
                hit(.ahead, recorded, ["ahead": lead]) { names in
                    (receipt?.member.map { "by \(names.label(of: $0)), " } ?? "") + "\(lead) ahead"
                }
            } else {
                pass(.ahead, recorded)
            }
        }
        if let time, time != .latest, time != .unknown, event.origin != .local { examineSeconds(time, recorded) }
    }

    private static func key(_ conversation: ConversationKey?, _ time: Timestamp) -> Int {
        var hasher = Hasher()
        hasher.combine(conversation)
        hasher.combine(time)
        return hasher.finalize()
    }

    private mutating func examineLoss(_ loss: MergedChoices.Loss) {
        let (loser, winner) = (loss.loser, loss.winner)
        let lead = winner.recordedTime.flatMap { winner.event.lead(of: $0) }
        // Choices that an offline sync delivers were made long ago, and rightly lost.
        guard loss.isDifferent, lead != nil || loser.event.event.origin != .offline,
            let lag = lead ?? loser.event.lag(of: loser.time)
        else { return pass(.lostChoice, loser.event) }
        self.lost.insert(loser.event.position)
        func device(_ event: RecordedEvent) -> String { event.event.device.map { " (\($0))" } ?? "" }
        let lost = "\(loser.event.event.payload.typeName)\(device(loser.event))"
        let holds = "\(winner.event.position)\(device(winner.event)) holds"
        let note =
            lead == nil
            ? "\(lost), made \(lag) before it was recorded; \(holds)"
            : "\(lost); \(holds), and its time is \(lag) after it was recorded"
        hit(.lostChoice, loser.event, [lead == nil ? "behind" : "winner ahead": lag]) { _ in note }
    }

    private mutating func examineSeconds(_ time: Timestamp, _ recorded: RecordedEvent) {
        let source = Source(.cutTimes, recorded, origin: recorded.source.origin)
        var run = runs[source] ?? TimeRun()
        defer { runs[source] = run }
        guard time != run.last else { return }
        run.last = time
        guard time.milliseconds % 1000 == 0 else {
            (run.cut, run.count) = ([], 0)
            pass(.cutTimes, recorded)
            run.exact += 1
            exactTimes[recorded.source.type, default: 0] += 1
            return
        }
        run.count += 1
        if run.count <= TimeRun.minimum { run.cut.append(recorded) }
        if run.count == 1 { run.lastExact = good[Source(.cutTimes, recorded)] }
        // If all times of a type are in seconds, the server reports them so.
        let isMessage = recorded.source.type == .messageReceived
        guard run.exact > 0 || !isMessage && exactTimes[recorded.source.type, default: 0] >= 20,
            run.count >= TimeRun.minimum
        else { return }
        for event in run.count == TimeRun.minimum ? run.cut : [recorded] {
            hit(.cutTimes, event, lastGood: run.lastExact) { _ in event.event.payload.typeName }
        }
    }
}
