internal import MessageStore
internal import MessageStoreLog

extension StoreModel {
    /// What a server's list tells stands for the single events; the marker comes first.
    mutating func summarise(_ body: ConversationSummaryReceived, at time: Timestamp?, in key: ConversationKey) {
        if let place = body.readUpTo { read(upTo: place, in: key, isMarker: true) }
        let latest = latestTime
        change(key) { entry in
            guard let activity = body.activity?.milliseconds else { return }
            entry.isKnown = true
            entry.confirmedActivity = max(entry.confirmedActivity, min(activity, latest))
            if activity > max(entry.reportedActivity, entry.hiddenUpTo?.time ?? 0) { entry.isHidden = false }
            entry.reportedActivity = max(entry.reportedActivity, activity)
        }
        if let unread = body.unread { report(unread, at: time, isPlaced: body.activity != nil, in: key) }
        if let isMuted = body.isMuted {
            applyConversationEvent(Event(ConversationMuted(isMuted, at: time), in: key), key)
        }
        for flag in ConversationSummaryReceived.flags {
            guard let isSet = body[keyPath: flag.value] else { continue }
            applyConversationEvent(Event(flag.event.init(isSet, at: time), in: key), key)
        }
    }

    /// The server counts what is unread: up to a place, up to a time and all that is known, or as of the moment.
    /// Its time moves the conversation up, unless the server told where it stands.
    mutating func report(
        _ told: ConversationSummaryReceived.Unread, at time: Timestamp?, isPlaced: Bool = false, in key: ConversationKey
    ) {
        let (newest, newestShown) = (newestReported(in: key), newestKnown(in: key))
        let toldPlace =
            told.upTo.map { Order($0) } ?? time.map { max(newest ?? .lowest, Order(MessageOrder(time: $0))) }
        let (recorded, latest) = (clock.now.milliseconds, latestTime)
        let (session, isSyncing) = (currentSession, sync.isSyncing)
        // For reading, the place of a message that it names is that message's, and no time is of more than a day ahead.
        var countedPlace: Order?
        if let toldPlace {
            countedPlace = toldPlace.capped(at: latestTime)
            if told.upTo != nil, let named = placeForReading(toldPlace, in: key) { countedPlace = named.readingOrder }
        }
        let isBelowAhead = isBelowAhead(in: key)
        let position = UInt64(log.count)
        change(key) { entry in
            let known = [newest, entry.countedUpTo, entry.readUpTo].compactMap(\.self).max()
            let report = Report(
                count: told.count, mentions: told.mentions, place: countedPlace ?? known, time: time,
                isOpen: toldPlace == nil && told.count > 0)
            if toldPlace == nil, isBelowAhead { entry.aheadReadUpTo = position }
            let isOlder = entry.report?.time.flatMap { old in time.map { $0 < old } } ?? false
            if !isOlder { entry.report = report }
            entry.countedUpTo.raise(to: report.place)
            if told.count > 0 || entry.isInList { entry.listedUpTo.raise(to: toldPlace) }
            if told.count > 0 {
                entry.isKnown = true
                if told.upTo != nil || !isPlaced {
                    entry.confirmedActivity = max(
                        entry.confirmedActivity, min(toldPlace?.time ?? recorded, latest))
                }
                if toldPlace.map({ entry.hiddenUpTo.isBelow($0) }) ?? true { entry.isHidden = false }
            }
            let mayMiss = toldPlace.map { place in newestShown.map { $0 < place } ?? true } ?? true
            if !isSyncing, told.upTo != nil || told.count > 0, mayMiss {
                entry.stretches.breakHead(at: newestShown, next: nil, session: session)
            }
        }
        if toldPlace != nil || told.count == 0 { findPlace(in: key) }
    }

    /// Notes what a call finds of the conversations of its events, by which messages of the past are told from others.
    mutating func beginCall(_ events: [Event]) {
        call = Call(start: log.count)
        for key in Set(events.compactMap(\.conversation)) {
            if conversations[key]?.report?.isOpen == true { call.openReports.insert(key) }
            let others = messages.values.filter { message in
                message.conversation == key && !message.isOutgoing && !message.isLocal
                    && (message.facts.isDeleted || !message.isGone)
            }
            let own = messages.values.filter { message in
                message.conversation == key && message.isOutgoing && !message.isGone && !message.isLocal
                    && message.serverID != nil
            }
            let newest = others.map(\.order).max() ?? own.map(\.order).max()
            let unread = visible(in: key).filter { isUnread($0) }.map(\.order).min()
            call.pastUpTo[key] = conversations[key]?.showsHistory == false ? unread ?? newest : newest
        }
    }

    /// Whether a message that history brings is of the past: not above an unread one, where no read marker is known, and not above the
    /// newest of others that the store had of the conversation before the call, or of an empty one, or part of a number that the server reported alone. Decided when it
    /// is recorded.
    mutating func isOfThePast(_ order: Order, in key: ConversationKey, at position: UInt64) -> Bool {
        if let decided { return decided.contains(position) }
        let isPast =
            call.openReports.contains(key) || reportedAlone(key) || (call.pastUpTo[key].map { order <= $0 } ?? true)
        if isPast { pastPositions.insert(position) }
        return isPast
    }

    /// Whether the call reported a number alone before.
    private func reportedAlone(_ key: ConversationKey) -> Bool {
        log[call.start...].contains { event in
            guard event.conversation == key, event.serverTime == nil else { return false }
            switch event.payload {
            case let body as UnreadCountReported: return body.count > 0 && body.upTo == nil && body.time == nil
            case let body as ConversationSummaryReceived:
                return body.unread.map { $0.count > 0 && $0.upTo == nil } ?? false
            default: return false
            }
        }
    }
}
