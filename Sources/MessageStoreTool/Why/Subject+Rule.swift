extension Subject {
    /// The derivation of its value from the stored data, with the numbers; empty for subjects whose facts say it.
    func rule(_ views: borrowing Views, _ names: Names?) throws -> [String] {
        switch self {
        case .badge: return try Self.badgeRule(views, names)
        case .unread(let key): return try Self.unreadRule(key, views)
        case .message(let names) where names.locals.isEmpty:
            return ["No such message has arrived; what events say about it applies when it arrives."]
        case .message, .conversation, .member, .profile: return []
        }
    }

    /// Conversations that are listed one by one.
    private static let listed = 20

    private static func badgeRule(_ views: borrowing Views, _ names: Names?) throws -> [String] {
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
        counted = counted.ordered { ($1.count, $0.key.description) < ($0.count, $1.key.description) }
        let sum = counted.reduce(0) { $0 + $1.count }
        var lines = [
            "The badge is the sum of the unread messages of all conversations, and 1 for each that is only marked as unread.",
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
                "unread = the server's count plus the messages above its position that count: \(report.count) + "
                    + "\(basis.countedMessages) = \(basis.count.messages)")
            lines.append(
                "the server counted \(report.count) up to \(report.upTo.words), as of \(report.time ?? .unknown)"
                    + "; the store has \(candidates.reported) messages up to there that count")
        } else {
            lines.append("unread = the messages above the read marker that count: \(basis.count.messages)")
            if let report = basis.lastReport {
                let reason =
                    basis.isReportPlaced
                    ? "moved the marker below the messages that it counts"
                    : "no longer applies: everything up to there is read"
                lines.append("the server's count of \(report.count) up to \(report.upTo.words) \(reason)")
            }
        }
        lines.append("read up to: \(basis.count.readUpTo?.description ?? "nothing")")
        if basis.count.isLowerBound {
            lines.append("messages may be missing above the marker: the store knows of a gap")
        }
        for exclusion in UnreadCandidate.Exclusion.allCases {
            guard let excluded = candidates.excluded[exclusion] else { continue }
            lines.append(
                "not counted, \(exclusion.rawValue): \(NumberFormat.count(excluded.count))\(Self.examples(excluded))")
        }
        if candidates.counted.count > 0 {
            lines.append("counted: \(NumberFormat.count(candidates.counted.count))\(Self.examples(candidates.counted))")
        }
        if candidates.isCut {
            lines.append("only the first \(NumberFormat.count(Candidates.limit)) messages were examined")
        }
        return lines
    }

    private static func examples(_ group: Sampled<LocalMessageID>) -> String {
        let ids = group.first.map(\.description).joined(separator: ", ")
        return " (\(group.count > group.first.count ? "\(ids), …" : ids))"
    }
}

/// The messages above the read marker of a conversation, by whether they count.
private struct Candidates {
    /// The maximum number of messages to examine.
    static let limit = 100_000

    /// The messages that count, above the position from which the store counts.
    private(set) var counted = Sampled<LocalMessageID>(limit: 5)
    /// The messages that would count up to the position of the server's report.
    private(set) var reported = 0
    private(set) var excluded: [UnreadCandidate.Exclusion: Sampled<LocalMessageID>] = [:]
    private(set) var isCut = false

    init(_ key: ConversationKey, _ views: borrowing Views) throws {
        var seen = 0
        var (counted, reported, excluded) = (counted, 0, excluded)
        try views.forEachUnreadCandidate(in: key) { candidate in
            seen += 1
            guard seen <= Self.limit else { return false }
            if let exclusion = candidate.exclusion {
                excluded[exclusion, default: Sampled(limit: 5)].add(candidate.message)
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
