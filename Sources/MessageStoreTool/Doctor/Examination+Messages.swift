/// The checks that need the messages that events name, which the views have.
extension Examination {
    /// Looks for events that name a place whose time is not that of the message there.
    mutating func examineMarkers(_ piece: Piece, _ store: MessageStore) throws {
        let times = try store.read { views in
            try piece.markers.map { event, place in
                guard let id = place.id, let key = event.event.conversation,
                    let local = try views.local(of: .server(id), in: key)
                else { return Timestamp?.none }
                return try views.standing(of: local)?.serverTime
            }
        }
        for ((event, place), time) in zip(piece.markers, times) {
            guard let time else {
                guard let id = place.id, let used = ids[id.hashValue], used.time == place.time,
                    let other = used.event.event.conversation, other != event.event.conversation
                else { continue }
                hit(.offMarker, event) { "\(id) is a message of \($0.label(of: other))" }
                continue
            }
            guard time != place.time else {
                pass(.offMarker, event)
                continue
            }
            let (difference, _) = time.milliseconds.subtractingReportingOverflow(place.time.milliseconds)
            let isCut = place.time.milliseconds % 1000 == 0 && (1..<1000).contains(difference)
            let off = NumberFormat.duration(.milliseconds(Int64(clamping: difference.magnitude)))
            let side = difference > 0 ? "before" : "after"
            hit(.offMarker, event, isCut ? ["cut": "to whole seconds"] : ["off": "\(off) \(side) the message"]) { _ in
                "\(off) \(side) \(place.id?.rawValue ?? "")"
            }
        }
    }

    /// The neighbours with which the text of an edit is compared.
    private static let neighbours = 50

    /// Looks for edits that are like another message and not like the one that they name.
    mutating func examineEdits(_ piece: Piece, _ store: MessageStore) throws {
        for (event, message, content) in piece.edits {
            guard let key = event.event.conversation,
                let local = try store.read({ try $0.local(of: message, in: key) })
            else { continue }
            try examineActor(event, of: local, store)
            guard let text = content?.text, let own = store.text(of: local) else { continue }
            let around = try store.read { views in
                guard try views.message(local) != nil else { return [LocalMessageID]() }
                let part = TimelinePart.around(.message(.local(local)))
                return try views.timeline(of: key, part, limit: Self.neighbours + 1).elements.map(\.id)
            }
            let edited = Array(text.unicodeScalars.prefix(200))
            guard edited.count >= 6, edited.editDistance(to: own) * 2 >= edited.count else {
                pass(.edit, event)
                continue
            }
            var nearest: (local: LocalMessageID, distance: Int)?
            for other in around where other != local && other.rawValue < event.position.rawValue {
                guard let words = store.text(of: other) else { continue }
                let distance = edited.editDistance(to: words)
                if distance * 4 <= edited.count, distance < nearest?.distance ?? .max { nearest = (other, distance) }
            }
            guard let nearest else {
                pass(.edit, event)
                continue
            }
            hit(.edit, event) { _ in "of \(local); the new text is nearly that of \(nearest.local)" }
        }
    }
}

extension MessageStore {
    /// The first text of a message; nil if it has none, or cannot be read.
    fileprivate func text(of local: LocalMessageID) -> [Unicode.Scalar]? {
        let text: String? =
            switch (try? event(at: Position(local.rawValue)))?.event.payload {
            case let message as MessageReceived: message.content.text
            case let message as MessageSendQueued: message.content.text
            default: nil
            }
        return text.map { Array($0.unicodeScalars.prefix(200)) }
    }
}

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
        var time = event.serverTime
        switch event.payload {
        case let message as MessageReceived: times[Self.key(event.conversation, message.sentTime)] = true
        case let sent as MessageSent: sent.sentTime.map { times[Self.key(event.conversation, $0)] = true }
        default: break
        }
        let receipt = event.receipt
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

    static func key(_ conversation: ConversationKey?, _ time: Timestamp) -> Int {
        [conversation.hashValue, time.hashValue].hashValue
    }

    /// Looks for choices that lost by a time far from the recording.
    mutating func examineChoices(_ piece: Piece, _ store: MessageStore, _ reports: [Position: [FoldReport]]) throws {
        func device(_ event: RecordedEvent) -> String { event.event.device.map { " (\($0))" } ?? "" }
        for loser in piece.choices {
            let loss = loser.loss(in: reports[loser.position])
            let winner = try loss.flatMap { try store.event(at: $0.winner) }
            let lead = loss?.winnerNamedTime.flatMap { winner?.lead(of: $0) }
            // Choices that an offline sync delivers were made long ago, and rightly lost.
            guard let loss, let winner, loss.isDifferent, lead != nil || loser.event.origin != .offline,
                let lag = lead ?? loser.lag(of: loss.time)
            else {
                pass(.lostChoice, loser)
                continue
            }
            self.lost.insert(loser.position)
            let lost = "\(loser.event.payload.typeName)\(device(loser))"
            let holds = "\(winner.position)\(device(winner)) holds"
            let note =
                lead == nil
                ? "\(lost), made \(lag) before it was recorded; \(holds)"
                : "\(lost); \(holds), and its time is \(lag) after it was recorded"
            hit(.lostChoice, loser, [lead == nil ? "behind" : "winner ahead": lag]) { _ in note }
        }
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
