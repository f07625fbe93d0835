internal import MessageStore

/// A plain recount of a backlog: what views must say, by the definitions alone and without any store.
///
/// A message is known by conversation and server id; the first delivery counts. It is unread if somebody else wrote it.
/// The last message is the greatest by time, then by the bytes of its id. What an erasure covers is nowhere, whether it was
/// delivered before or after.
struct Recount {
    private struct Totals {
        var unread = 0
        var count = 0
        var last: Place?
    }

    private let backlog: Backlog
    /// The greatest place of an erasure, by conversation.
    private var floors: [Int32: Place] = [:]
    private var known: Set<UInt64> = []
    private var totals: [Totals]
    private var messages = ViewDigest()

    init(_ backlog: Backlog) {
        self.backlog = backlog
        totals = [Totals](repeating: Totals(), count: backlog.conversations.count)
        for erasure in backlog.erasures.values {
            floors[erasure.conversation] = max(floors[erasure.conversation] ?? erasure.place, erasure.place)
        }
    }

    /// How many different events were added, by conversation and id.
    var eventCount: Int { known.count }

    mutating func add(_ event: SyncEvent) {
        let index = Int(event.conversation)
        let conversation = backlog.conversations[index].id
        var identity = StableHash()
        identity.add(conversation)
        identity.add(event.id)
        guard known.insert(identity.value).inserted, event.kind == .text else { return }
        if let floor = floors[event.conversation], Place(event) <= floor { return }
        messages.addMessage(conversation, timeMs: event.timeMs, id: event.id)
        totals[index].count += 1
        if !event.isOwn { totals[index].unread += 1 }
        totals[index].last = max(totals[index].last ?? Place(event), Place(event))
    }

    var digest: ViewDigest {
        var digest = messages
        for (index, total) in totals.enumerated() {
            guard let last = total.last else { continue }
            digest.addConversation(
                backlog.conversations[index].id, unread: total.unread, last: last.id, count: total.count)
        }
        return digest
    }

    static func of(_ backlog: Backlog, limit: Int = .max) -> Recount {
        var recount = Recount(backlog)
        for event in backlog.events(limit: limit) { recount.add(event) }
        return recount
    }

    static func digest(of backlog: Backlog, limit: Int = .max) -> ViewDigest { of(backlog, limit: limit).digest }
}

/// A peer's views differ from the recount, so that its rate means nothing.
struct WrongViews: Error, CustomStringConvertible {
    let peer: String
    let expected: ViewDigest
    let found: ViewDigest
    var description: String { "\(peer) shows \(found); the recount of the events says \(expected)" }
}
