internal import MessageStore
internal import MessageStoreProjections

extension Subject {
    /// The rule by which its value follows from what is stored, with its numbers.
    func rule(_ views: borrowing Views, _ names: Names) throws -> [String] {
        switch self {
        case .badge: return try Self.badgeRule(views, names)
        case .unread(let key): return try Self.unreadRule(key, views)
        case .message(let names):
            guard !names.locals.isEmpty else {
                return ["No such message arrived; what events told of it waits for its arrival."]
            }
            return [
                "A message is shown unless it is deleted, a repeat, hidden by the filter, meant for others or cleared with "
                    + "the history.",
                "It counts as unread where it is shown, from others, not recalled, recorded with a policy that counts, not "
                    + "read by itself, and above the read marker.",
                "The status of what the account sent only rises: sending, failed, sent by a MessageSent, delivered by a "
                    + "MessageDelivered, read by a MessageReadByPeer that names it, or by a marker: a receipt for everything "
                    + "up to a time, recorded before or after it, by any member or reader but this account. A MessageStatusOverridden sets it. What others sent is received.",
            ]
        case .conversation:
            return [
                "Archived conversations come last and pinned ones first, then those with the latest activity: the time of "
                    + "the last message that may be a preview, of the last message that the server counted as unread, of the "
                    + "conversation's creation, of an invitation, of a draft, or that the server's list told.",
                "A conversation that was deleted from the list comes back with the next newer message, when the server "
                    + "counts a newer one as unread, when its list tells a newer activity, or when it is marked unread; chat rooms are never listed.",
                "Pin, mute, archive, mark, draft and tags are merged by the time of the choice, by the clock of the device "
                    + "that chose: the latest holds, in whichever order they are recorded. A time counts at most a day after "
                    + "the recording, a choice without one is made when it is recorded, and of two with one time setting "
                    + "holds against unsetting.",
                "Name, avatar and attributes are those that were recorded last, whatever the server's times are.",
            ]
        case .member:
            return [
                "Membership, mute and block: the last event about the user in this conversation holds, or the last whole "
                    + "list, in the order in which they were recorded, whatever the server's times are.",
                "Nickname and role: the choice with the latest time holds, by the clock of whoever chose; a choice without a "
                    + "time is made when it is recorded.",
            ]
        case .profile: return ["The last profile that was fetched holds; an invalidation marks it as out of date."]
        }
    }

    /// Conversations that are listed one by one.
    private static let listed = 20

    private static func badgeRule(_ views: borrowing Views, _ names: Names) throws -> [String] {
        var counted: [(key: ConversationKey, count: Int)] = []
        var left = (muted: 0, chatRooms: 0, marked: 0)
        try views.forEachUnread { key, basis in
            if key.kind == .chatRoom {
                left.chatRooms += basis.count.messages
            } else if basis.level != .all {
                left.muted += basis.count.messages - basis.badge
                if basis.badge > 0 { counted.append((key, basis.badge)) }
            } else if basis.count.messages == 0 {
                left.marked += 1
            } else {
                counted.append((key, basis.count.messages))
            }
        }
        counted.sort { ($1.count, $0.key.description) < ($0.count, $1.key.description) }
        let sum = counted.reduce(0) { $0 + $1.count }
        var lines = [
            "The badge is the sum of the unread messages of all conversations, and 1 for each that is only marked unread.",
            "unread: \(NumberFormat.count(sum)) in \(NumberFormat.count(counted.count, "conversation", "conversations"))",
            "marked unread alone: \(NumberFormat.count(left.marked))",
            "left out: \(NumberFormat.count(left.muted)) in muted conversations, \(NumberFormat.count(left.chatRooms)) in "
                + "chat rooms",
        ]
        for (key, count) in counted.prefix(listed) {
            lines.append("  \(names.label(of: key)): \(NumberFormat.count(count))")
        }
        if counted.count > listed { lines.append("  and \(NumberFormat.count(counted.count - listed)) more") }
        return lines
    }

    private static func unreadRule(_ key: ConversationKey, _ views: borrowing Views) throws -> [String] {
        let basis = try views.unreadBasis(of: key)
        let candidates = try Candidates(key, views)
        var lines: [String] = []
        if let report = basis.count.report {
            lines.append(
                "unread = the server's count, and the messages above its place that count: \(report.count) + "
                    + "\(basis.countedMessages) = \(basis.count.messages)")
            lines.append(
                "the server counted \(report.count) up to \(report.upTo.words), as of \(report.time.words)"
                    + "; of the messages up to there the store has \(candidates.reported) that count")
        } else {
            lines.append("unread = the messages above the read marker that count: \(basis.count.messages)")
            if let report = basis.lastReport {
                let reason =
                    basis.isReportPlaced
                    ? "moved the marker below the messages that it counts"
                    : "no longer applies: all up to there is read"
                lines.append("the server's count of \(report.count) up to \(report.upTo.words) \(reason)")
            }
        }
        lines.append("read up to: \(basis.count.readUpTo?.words ?? "nothing")")
        if basis.count.isLowerBound { lines.append("messages may be missing above: the store knows of a hole") }
        for exclusion in UnreadCandidate.Exclusion.allCases {
            guard let excluded = candidates.excluded[exclusion] else { continue }
            lines.append(
                "not counted, \(exclusion.rawValue): \(NumberFormat.count(excluded.count))\(Self.examples(excluded))")
        }
        if candidates.counted.count > 0 {
            lines.append("counted: \(NumberFormat.count(candidates.counted.count))\(Self.examples(candidates.counted))")
        }
        if candidates.isCut {
            lines.append("only the first \(NumberFormat.count(Candidates.limit)) messages were looked at")
        }
        return lines
    }

    private static func examples(_ group: Candidates.Group) -> String {
        let ids = group.first.map(\.description).joined(separator: ", ")
        return " (\(group.count > group.first.count ? "\(ids), …" : ids))"
    }
}

/// The messages above the read marker of a conversation, by whether they count.
private struct Candidates {
    /// A number of messages, and the first of them.
    struct Group {
        private(set) var count = 0
        private(set) var first: [LocalMessageID] = []

        mutating func add(_ message: LocalMessageID) {
            count += 1
            if first.count < 5 { first.append(message) }
        }
    }

    /// Messages that are looked at.
    static let limit = 100_000

    /// Those that count above the place from which the store counts.
    private(set) var counted = Group()
    /// Those that would count up to the place of the server's report.
    private(set) var reported = 0
    private(set) var excluded: [UnreadCandidate.Exclusion: Group] = [:]
    private(set) var isCut = false

    init(_ key: ConversationKey, _ views: borrowing Views) throws {
        var seen = 0
        var (counted, reported, excluded) = (counted, 0, excluded)
        try views.forEachUnreadCandidate(in: key) { candidate in
            seen += 1
            guard seen <= Self.limit else { return false }
            if let exclusion = candidate.exclusion {
                excluded[exclusion, default: Group()].add(candidate.message)
            } else if candidate.isReported {
                reported += 1
            } else {
                counted.add(candidate.message)
            }
            return true
        }
        (self.counted, self.reported, self.excluded, isCut) = (counted, reported, excluded, seen > Self.limit)
    }
}
