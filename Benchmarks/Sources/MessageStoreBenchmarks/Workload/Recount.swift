internal import MessageStore

/// A plain recount of a backlog: what views must say, by the definitions alone and without any store.
///
/// A message is known by conversation and server id; the first delivery counts. It is unread if somebody else wrote it.
/// The last message is the greatest by time, then by the bytes of its id.
enum Recount {
    private struct Totals {
        var unread = 0
        var count = 0
        var lastTime = Int64.min
        var lastID = ""
    }

    /// How many different events there are, by conversation and id.
    static func eventCount(of backlog: Backlog, limit: Int = .max) -> Int {
        var known: Set<UInt64> = []
        for event in backlog.events(limit: limit) { known.insert(identity(of: event, backlog)) }
        return known.count
    }

    private static func identity(of event: SyncEvent, _ backlog: Backlog) -> UInt64 {
        var hash = StableHash()
        hash.add(backlog.conversations[Int(event.conversation)].id)
        hash.add(event.id)
        return hash.value
    }

    static func digest(of backlog: Backlog, limit: Int = .max) -> ViewDigest {
        var known: Set<UInt64> = []
        var totals = [Totals](repeating: Totals(), count: backlog.conversations.count)
        var digest = ViewDigest()
        for event in backlog.events(limit: limit) where event.kind == .text {
            let index = Int(event.conversation)
            let conversation = backlog.conversations[index].id
            guard known.insert(identity(of: event, backlog)).inserted else { continue }
            digest.addMessage(conversation, timeMs: event.timeMs, id: event.id)
            totals[index].count += 1
            if !event.isOwn { totals[index].unread += 1 }
            let last = totals[index]
            if event.timeMs > last.lastTime
                || (event.timeMs == last.lastTime && last.lastID.utf8.lexicographicallyPrecedes(event.id.utf8))
            {
                (totals[index].lastTime, totals[index].lastID) = (event.timeMs, event.id)
            }
        }
        for (index, total) in totals.enumerated() where total.count > 0 {
            digest.addConversation(
                backlog.conversations[index].id, unread: total.unread, last: total.lastID, count: total.count)
        }
        return digest
    }
}

/// A peer's views differ from the recount, so that its rate means nothing.
struct WrongViews: Error, CustomStringConvertible {
    let peer: String
    let expected: ViewDigest
    let found: ViewDigest
    var description: String { "\(peer) shows \(found); the recount of the events says \(expected)" }
}
