/// A look for what may be wrong with a log, in a pass over its events and another over what the views made of them.
struct Examination {
    /// All findings but those of events without effect.
    private var found: [Symptom: Findings] = [:]
    private var withoutEffect: [String: Findings] = [:]
    /// The maximum number of findings to keep of each symptom.
    private let limit: Int
    var messages = ReceivedMessages()
    var lateEvents: LateEvents
    var strays = StrayConversations()
    var turns: PolicyTurns
    var openSync: Position?
    /// The choices that are findings of their own.
    var lost: Set<Position> = []
    /// Times at which some conversation has a message.
    var times = RecentValues<Bool>(capacity: 1 << 17)
    var runs: [Source: TimeRun] = [:]
    /// How many times with milliseconds the events of a type had.
    var exactTimes: [EventType: Int] = [:]
    var names: [ReportedName.Owner: KnownName] = [:]
    /// The last user of each name.
    var named: [Int: ReportedName.Owner] = [:]
    var packages = Packages()
    var ids = RecentValues<UsedID>(capacity: 1 << 16)
    /// Ids that messages of two conversations have.
    var foreignIDs = 0
    var lastMessage: RecordedEvent?
    var trails: [Symptom: Trail] = [:]
    var good: [Source: RecordedEvent] = [:]
    var people = KnownPeople()

    /// A server time up to which a number of milliseconds is more likely one of seconds: 1973 against the year 5138.
    static let lastSeconds: Int64 = 100_000_000_000

    /// - Parameters:
    ///   - limit: The maximum number of findings to keep of each symptom; all are counted.
    ///   - skipsEffects: Whether to leave out what depends on whether an event changed something, which replays the
    ///     log.
    init(_ store: MessageStore, limit: Int, skipsEffects: Bool, progress: MessageStore.ReplayProgress) throws {
        self.limit = limit
        (lateEvents, turns) = (LateEvents(account: store.account), PolicyTurns(account: store.account))
        let last = try store.lastPosition()
        let hosts = HostEvents(try store.eventDescriptions())
        var session: ReplaySession? = try skipsEffects ? store.sessionOfChoices() : store.replaySession()
        var start = Position(1)
        while start <= last {
            let end = min(last, Position(start.rawValue + Self.piece - 1))
            var piece = Piece()
            var damaged: [Position?] = []
            try store.forEachEvent(from: start, to: end, onDamage: { damaged.append($0.position) }) { event in
                examine(event, hosts, store.account, &piece)
                return true
            }
            for position in damaged { add(.damaged, Finding(at: position)) }
            if !damaged.isEmpty { session = nil }
            reportSameIDs(piece, store)
            do {
                try examineMarkers(piece, store)
                try examineEdits(piece, store)
            } catch let error as StoreError where error.isOfRecord {
                // It is found among the events.
            }
            if let session {
                let positions = skipsEffects ? [] : try session.eventsWithoutEffect(among: piece.mayHaveNoEffect)
                try examineChoices(piece, store, session.reports(through: end))
                if !skipsEffects { try examineEffects(piece, store, withoutEffect: Set(positions)) }
            }
            try progress(end, last)
            start = Position(end.rawValue + 1)
        }
        if let openSync { add(.sync, Finding(at: openSync)) }
        reportRepeats()
        reportRareMessages()
        dismiss()
        // The event that set a timer may have been cut off.
        if try store.replayStart() > .origin { (found[.noTimer], trails[.noTimer]) = (nil, nil) }
        for finding in strays.findings() { add(.stray, finding) }
        for finding in turns.findings() { add(.turn, finding) }
        do {
            try examineViews(store)
        } catch let error as StoreError where error.isOfRecord {
            // It was found among the events.
        }
    }

    /// Events that are read at a time.
    private static let piece: UInt64 = 4096

    /// Possible symptoms of some events, which cannot be decided while the events are read.
    struct Piece {
        /// Events that are merged by time.
        var choices: [RecordedEvent] = []
        var mayHaveNoEffect: [Position] = []
        /// Events that are late, which matters where they changed something.
        var late: [Position: String] = [:]
        /// Messages that seem to be in another conversation, too, and the position there.
        var sameIDs: [(RecordedEvent, MessageReceived, Position)] = []
        /// Events that name a place, and edits and recalls, which have no content.
        var markers: [(RecordedEvent, MessageOrder)] = []
        var edits: [(RecordedEvent, MessageReference, MessageContent?)] = []
    }

    mutating func add(_ symptom: Symptom, _ finding: Finding) {
        let none = Findings(limit: limit)
        found[symptom, default: none].add(finding)
    }

    /// Adds a finding of an event.
    mutating func find(_ symptom: Symptom, _ event: RecordedEvent, _ note: @escaping (Names?) -> String) {
        add(symptom, Finding(at: event.position, in: event.event.conversation, note))
    }

    /// Takes back the findings of an event.
    mutating func remove(_ symptom: Symptom, at position: Position) {
        found[symptom]?.remove(at: position)
        if found[symptom]?.count == 0 { (found[symptom], trails[symptom]) = (nil, nil) }
    }

    /// Takes back what turned out to be how a server does it.
    private mutating func dismiss() {
        if packages.jumps > packages.steps { found[.packages] = nil }
        // Within one second people repeat themselves, where no time says more.
        if exactTimes[.messageReceived] == nil, messages.count > 100 {
            (found[.repeats], found[.twoConversations]) = (nil, nil)
        }
        if foreignIDs > 3, foreignIDs * 20 > messages.count { found[.usedID] = nil }
    }

    /// The findings, in the order of the symptoms.
    var findings: [(symptom: Symptom, findings: Findings, trail: Trail?)] {
        Symptom.allCases.compactMap { symptom in
            if symptom == .noEffect { return withoutEffect.isEmpty ? nil : (symptom, rankedEvents, nil) }
            return found[symptom].map { (symptom, $0, trails[symptom]) }
        }
    }

    /// Events without effect, the rarest type first. To read what is read is harmless, however rare.
    private var rankedEvents: Findings {
        let ranked = withoutEffect.ordered {
            let (first, second) = ($0.key == "ConversationRead" ? 1 : 0, $1.key == "ConversationRead" ? 1 : 0)
            return (first, $0.value.count, $0.key) < (second, $1.value.count, $1.key)
        }
        var all = Findings(limit: limit)
        for (_, findings) in ranked { all.add(findings) }
        return all
    }

    static func isInSeconds(_ time: Timestamp) -> Bool { (1..<lastSeconds).contains(time.milliseconds) }
}

// MARK: Effects

extension Examination {
    private mutating func examineEffects(_ piece: Piece, _ store: MessageStore, withoutEffect: Set<Position>) throws {
        let none = Findings(limit: limit)
        for position in withoutEffect.union(piece.late.keys).ordered() {
            guard let event = try store.event(at: position),
                !lost.contains(position)
            else { continue }
            let name = event.event.payload.typeName
            if withoutEffect.contains(position) {
                self.withoutEffect[name, default: none].add(
                    Finding(at: position, in: event.event.conversation) { _ in name })
            } else if let note = piece.late[position] {
                find(.late, event) { _ in "\(name) \(note)" }
            }
        }
    }

    /// Reports the messages of which another conversation has one of the same id, sender and time.
    private mutating func reportSameIDs(_ piece: Piece, _ store: MessageStore) {
        for (recorded, message, first) in piece.sameIDs {
            let other = try? store.event(at: first)?.event.conversation
            let finding = Finding(
                at: recorded.position, in: recorded.event.conversation, topic: "server:\(message.serverID)"
            ) { names in
                let place = other.map { " in \(names.label(of: $0))" } ?? ""
                return "\(message.serverID), also at \(first)\(place)"
            }
            add(.twoConversations, finding)
        }
    }
}

extension Examination {
    /// Looks at one event, in the order of the log.
    mutating func examine(
        _ recorded: RecordedEvent, _ hosts: HostEvents, _ account: UserID, _ piece: inout Piece
    ) {
        let event = recorded.event
        examineTime(event, recorded)
        strays.examine(event, at: recorded.position)
        examineClocks(event, recorded)
        examineNames(event, recorded)
        examinePackages(event, recorded)
        examineIDs(event, recorded, account)
        examinePeople(event, recorded, account)
        for place in event.places { piece.markers.append((recorded, place)) }
        if event.type.has(.mergedByTime) { piece.choices.append(recorded) }
        switch event.payload {
        case let edit as MessageModified: piece.edits.append((recorded, edit.message, edit.content))
        case let recall as MessageRecalled: piece.edits.append((recorded, recall.message, nil))
        case let snapshot as MessageSnapshotReceived:
            if let content = snapshot.content { piece.edits.append((recorded, snapshot.message, content)) }
        default: break
        }
        if let note = lateEvents.examine(event, at: recorded.position) { piece.late[recorded.position] = note }
        switch event.payload {
        case let message as MessageReceived:
            turns.examine(message, recorded)
            switch messages.insert(message, in: event.conversation, at: recorded.position) {
            case .inConversation(let first):
                find(.repeats, recorded) { _ in "repeats \(first)" }
            case .inOther(let first): piece.sameIDs.append((recorded, message, first))
            case nil: break
            }
            return
        case let receipt as MessageReadByPeer where receipt.reader == account:
            find(.ownReceipt, recorded) { "read by \($0.label(of: account))" }
        case let receipt as MessageDelivered where receipt.member == account:
            find(.ownReceipt, recorded) { "delivered to \($0.label(of: account))" }
        case is OfflineSyncStarted:
            if let openSync { add(.sync, Finding(at: openSync)) }
            openSync = recorded.position
        case is OfflineSyncCompleted: openSync = nil
        case is RecordLost: add(.lost, Finding(at: recorded.position))
        case is UnknownEvent:
            if hosts.name(of: event.type) == nil {
                find(.unknown, recorded) { _ in event.type.description }
            }
            // An event that only this library does not know has no effect.
            return
        default: break
        }
        // Messages always have an effect, but for repeats.
        if !MessageNames.messages.contains(event.type) { piece.mayHaveNoEffect.append(recorded.position) }
    }

    private mutating func examineTime(_ event: Event, _ recorded: RecordedEvent) {
        if event.type.has(.mergedByTime), recorded.clockTime.milliseconds > Self.lastSeconds {
            let texts = event.payload.fieldTexts.filter {
                $0.type.kind == .time && $0.text != event.serverTime?.description
            }
            for text in texts.compactMap(\.text) where Timestamp(iso8601: text).map(Self.isInSeconds) == true {
                find(.seconds, recorded) { _ in text }
            }
        }
        guard let time = event.serverTime, time != .unknown, time != .latest else { return }
        if Self.isInSeconds(time), recorded.clockTime.milliseconds > Self.lastSeconds {
            find(.seconds, recorded) { _ in time.description }
        } else if time.milliseconds &- recorded.correctedTime.milliseconds > Timestamp.greatestLead {
            find(.future, recorded) { _ in time.description }
        }
    }
}

extension Examination {
    /// Looks at what the views made of the log.
    mutating func examineViews(_ store: MessageStore) throws {
        let last = try store.lastPosition()
        let now = try store.event(at: last)?.clockTime ?? .unknown
        try store.read { views in
            for message in try views.outbox()
            where now.milliseconds &- message.recordedTime.milliseconds > Timestamp.greatestLead {
                let position = Position(message.id.rawValue)
                add(.outbox, Finding(at: position, in: message.conversation) { _ in "\(message.status)" })
            }
            try views.forEachUnread { key, basis in
                guard let report = basis.count.report else { return }
                var held = 0
                try views.forEachUnreadCandidate(in: key) { candidate in
                    if candidate.isReported, candidate.exclusion == nil { held += 1 }
                    return held < report.count
                }
                guard held < report.count, !basis.count.isLowerBound else { return }
                let note = "\(report.count) by the server, \(held) here"
                add(.serverCount, Finding(in: key) { _ in note })
            }
            try views.forEachGap { gap in
                let place =
                    switch (gap.before, gap.after) {
                    case (let before?, let after?): "between \(before) and \(after)"
                    case (let before?, nil): "after \(before)"
                    case (nil, let after?): "before \(after)"
                    case (nil, nil): "without messages around"
                    }
                let topic = (gap.after ?? gap.before).map { "local:\($0)" }
                add(.gaps, Finding(in: gap.conversation, topic: topic) { _ in place })
            }
            try views.forEachMissingMessage { key, id in
                add(.waiting, Finding(in: key) { _ in id.rawValue })
            }
        }
    }
}
