internal import MessageStore

/// What was told of the reactions to one message, event by event.
struct ToldReactions: Sendable {
    struct Giver: Hashable, Sendable {
        let key: String
        let user: UserID
    }

    /// What is known of a user and a reaction.
    struct Told: Sendable {
        var time: Timestamp
        var position: UInt64
        var isGiven: Bool
        /// Whether it was given before the earliest change that is known, and when that was.
        var wasGiven: Bool
        var since: Timestamp
        /// It was known before a snapshot that counts more users than it names, and not this one.
        var isUnnamed = false
    }

    /// The last snapshot that told all reactions.
    struct Snapshot: Sendable {
        let time: Timestamp
        let position: UInt64
        let told: [ReactionSummary]
    }

    private(set) var latest: [Giver: Told] = [:]
    private(set) var set: Snapshot?

    /// A user gave a reaction or took it back.
    mutating func tell(_ giver: Giver, _ time: Timestamp, _ position: UInt64, _ isGiven: Bool) {
        if let set, set.time > time { return }
        guard var told = latest[giver] else {
            // Who takes back had given, who gives had not.
            latest[giver] = Told(time: time, position: position, isGiven: isGiven, wasGiven: !isGiven, since: time)
            return
        }
        if time < told.since { (told.wasGiven, told.since) = (!isGiven, time) }
        if time >= told.time {
            (told.time, told.position, told.isGiven, told.isUnnamed) = (time, position, isGiven, false)
        }
        latest[giver] = told
    }

    /// A snapshot tells of every pair of a reaction and a user: those that it names or counts, and that there are no others.
    ///
    /// - Parameter time: Without one it replaces all that was told before.
    mutating func tell(_ reactions: [ReactionSummary], asOf time: Timestamp?, _ position: UInt64) {
        let newest = latest.values.map(\.time).reduce(set?.time ?? .unknown) { max($0, $1) }
        let time = time ?? newest
        if let set, set.time > time { return }
        let snapshot = Snapshot(time: time, position: position, told: reactions)
        set = snapshot
        replace(by: snapshot)
        for summary in reactions {
            for giver in summary.users.map({ Giver(key: summary.key, user: $0) }) {
                if let later = latest[giver], later.time > time { continue }
                latest[giver] = Told(time: time, position: position, isGiven: true, wasGiven: false, since: time)
            }
        }
    }

    /// What was known before a snapshot is replaced, but for users who may be among those that it counts.
    private mutating func replace(by set: Snapshot) {
        for (giver, told) in latest where told.since <= set.time {
            let summary = set.told.first { $0.key == giver.key }
            let countsOthers = summary.map { Int($0.count ?? 0) > Set($0.users).count } ?? false
            if told.time > set.time {
                latest[giver]?.wasGiven = !told.isGiven
                latest[giver]?.since = told.time
            } else if countsOthers {
                latest[giver] = Told(
                    time: set.time, position: set.position, isGiven: told.isGiven, wasGiven: told.isGiven,
                    since: set.time,
                    isUnnamed: true)
            } else {
                latest[giver] = nil
            }
        }
    }

    /// Takes in what was recorded of the same message under another id.
    mutating func join(_ told: ToldReactions) {
        var other = told
        if let later = told.set, set.map({ ($0.time, $0.position) < (later.time, later.position) }) ?? true {
            replace(by: later)
            set = later
        } else if let set {
            other.replace(by: set)
        }
        for (giver, second) in other.latest {
            guard let first = latest[giver] else {
                latest[giver] = second
                continue
            }
            let places = ((first.time, first.position), (second.time, second.position))
            var joined = places.0 < places.1 || places.0 == places.1 && first.isUnnamed ? second : first
            (joined.wasGiven, joined.since) =
                second.since < first.since ? (second.wasGiven, second.since) : (first.wasGiven, first.since)
            latest[giver] = joined
        }
    }

    /// The users who are known to give a reaction, by the first that is still given.
    var given: [(giver: Giver, told: Told)] {
        let given = latest.filter { $0.value.isGiven && !$0.value.isUnnamed }
        return given.map { (giver: $0.key, told: $0.value) }.sorted { first, second in
            let (one, other) = ((first.told.time, first.told.position), (second.told.time, second.told.position))
            if one != other { return one < other }
            return (first.giver.key, first.giver.user) < (second.giver.key, second.giver.user)
        }
    }

    /// How many give a reaction: the number that the snapshot told, raised and lowered by what is later.
    func count(_ summary: ReactionSummary, told count: UInt32) -> Int {
        guard let set else { return Int(count) }
        var sum = Int(count)
        for (giver, told) in latest
        where giver.key == summary.key && (told.time, told.position) > (set.time, set.position) {
            let wasCounted = told.wasGiven || summary.users.contains(giver.user)
            sum += (told.isGiven ? 1 : 0) - (wasCounted ? 1 : 0)
        }
        return sum
    }
}
