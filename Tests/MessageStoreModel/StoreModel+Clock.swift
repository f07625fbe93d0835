internal import MessageStore

/// When an event was recorded.
struct Moment: Sendable {
    /// The latest time that the clock had shown by then.
    let recorded: Timestamp
    /// What it showed then.
    let clock: Timestamp
    /// The later of that and the newest time of a server in the log before, where the clock was slow.
    let corrected: Timestamp
    /// From when on what was chosen counts as of a day later.
    let ofChoice: Timestamp

    init(of event: Event, at time: Timestamp) {
        (recorded, clock) = (time, event.clockTime ?? time)
        shown = event.correctedTime == nil ? time : event.clockTime ?? time
        (corrected, ofChoice) = (event.correctedTime ?? time, event.correctedTime ?? event.clockTime ?? time)
    }

    /// What the clock showed; earlier versions kept that of choices alone.
    let shown: Timestamp

    /// The time of what has no other: not that of a clock that was more than a day slow.
    var now: Timestamp {
        corrected.milliseconds - shown.milliseconds > StoreModel.greatestLead ? corrected : shown
    }

    /// The latest time that counts of what an event says.
    var latest: Int64 { corrected.milliseconds + StoreModel.greatestLead }
}

extension StoreModel {
    static func serverTime(of event: Event) -> Timestamp? {
        switch event.payload {
        case let body as MessageReceived: body.sentTime
        case let body as MessageSent: body.sentTime ?? event.serverTime
        case let body as MessageDelivered: body.time
        case let body as MessageReadByPeer: body.time
        case let body as MessageModified: body.time
        case let body as MessageInsertedLocally: body.time
        case let body as MessageMetadataChanged: body.time
        case let body as MessageSnapshotReceived: body.time ?? event.serverTime
        case let body as ReactionAdded: body.time
        case let body as ReactionRemoved: body.time
        case let body as UnreadCountReported: body.time ?? event.serverTime
        case let body as ChatRoomJoined: body.time
        case let body as ChatRoomLeft: body.time
        case let body as UsersBlocked: body.time ?? event.serverTime
        default: event.serverTime
        }
    }

    /// What an event keeps of a slow clock, and the newest time of a server up to it.
    mutating func noteClock(_ event: inout Event, at time: Timestamp) {
        if let slowClock {
            event.clockTime = slowClock
            let isLost = newestServerTime == .unknown && slowClock.milliseconds < 1_577_836_800_000
            event.correctedTime = isLost ? time : max(slowClock, newestServerTime)
        }
        let moment = Moment(of: event, at: time)
        newestServerTime = max(newestServerTime, credibleTime(of: event, moment) ?? .unknown)
        moments.append(moment)
    }

    /// Sees what the clock says for the next events, and returns their recorded time.
    mutating func look(at now: Timestamp) -> Timestamp {
        let time = max(now, moments.last?.recorded ?? now)
        slowClock = now < time ? now : nil
        guard slowClock != nil else { return time }
        let kept = log.indices.filter { !cut.contains(UInt64($0) + 1) }
        newestServerTime = kept.compactMap { credibleTime(of: log[$0], moments[$0]) }.max() ?? .unknown
        return time
    }

    private func credibleTime(of event: Event, _ moment: Moment) -> Timestamp? {
        Self.serverTime(of: event).flatMap { $0.milliseconds <= moment.latest ? $0 : nil }
    }
}
