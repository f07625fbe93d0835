package import MessageStore

extension StoreModel {
    /// Looks after each event what it started: whatever it is, a message that is read or sent for the first time runs
    /// out from then on.
    mutating func applyTimers(_ event: Event, _ key: ConversationKey, _ position: UInt64) {
        if let body = event.payload as? ConversationTimerChanged {
            let clock = clock
            change(key) { entry in
                guard entry.choices.choose("timer", at: body.time, clock, holdsTie: body.timer != .off) else { return }
                let time = min(body.time?.milliseconds ?? .max, clock.ofChoice.milliseconds + Self.greatestLead)
                let since =
                    body.time == nil ? (event.correctedTime ?? clock.clock) : Timestamp(milliseconds: max(1, time))
                entry.timer = (body.timer, since)
            }
        }
        if messages[position] != nil { setTimer(of: position, event.origin) }
        for entry in messages.values where entry.conversation == key {
            guard entry.duplicateOf == nil, !entry.isReplaced else {
                messages[entry.local]?.isTimerLost = true
                messages[entry.local]?.timer = nil
                messages[entry.local]?.expires = nil
                continue
            }
            if entry.isTimerLost {
                messages[entry.local]?.isTimerLost = false
                if !entry.isGone { restart(entry.local) }
            }
            guard let entry = messages[entry.local], let timer = entry.timer, entry.expires == nil,
                let start = start(of: entry, timer, event)
            else {
                continue
            }
            messages[entry.local]?.expires = Timestamp(milliseconds: start + Int64(timer.seconds) * 1000)
        }
    }

    /// A repeat that is shown after all arrives as it did then.
    private mutating func restart(_ local: UInt64) {
        setTimer(of: local, log[Int(local) - 1].origin)
        guard let entry = messages[local], let timer = entry.timer, timer.runsFromReading, isRead(entry) else { return }
        guard !entry.isOutgoing else { return }
        let start = entry.moment.corrected.milliseconds + Int64(timer.seconds) * 1000
        messages[local]?.expires = Timestamp(milliseconds: start)
    }

    private mutating func setTimer(of local: UInt64, _ origin: Origin) {
        guard let entry = messages[local], !entry.isLocal else { return }
        let own: MessageTimer? =
            switch log[Int(local) - 1].payload {
            case let body as MessageReceived: body.context.timer
            case let body as MessageSendQueued: body.context.timer
            default: nil
            }
        var timer = own
        if own == nil, let (other, since) = conversations[entry.conversation]?.timer {
            let sent = min(entry.serverTime ?? entry.moment.corrected, Timestamp(milliseconds: entry.latestTime))
            if origin != .history || sent >= since { timer = other }
        }
        messages[local]?.timer = timer?.seconds == 0 ? nil : timer
    }

    /// When the time of a message begins, where it does with this event.
    private func start(of entry: MessageEntry, _ timer: MessageTimer, _ event: Event) -> Int64? {
        if timer.runsFromReading, !entry.isOutgoing {
            return isRead(entry) ? (event.correctedTime ?? clock.clock).milliseconds : nil
        }
        guard entry.isQueued else { return min(entry.serverTime?.milliseconds ?? .max, entry.latestTime) }
        guard entry.serverID != nil || entry.isSettled else { return nil }
        let recorded = clock.corrected.milliseconds
        let told = (event.payload as? MessageSent)?.sentTime ?? event.serverTime
        return min(told?.milliseconds ?? recorded, recorded + Self.greatestLead)
    }

    /// When a message disappears, shown or not.
    package func expiry(of message: MessageReference) -> Timestamp? {
        guard case .local(let local) = message else { return nil }
        return messages[local.rawValue]?.expires
    }
}
