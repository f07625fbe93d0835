internal import MessageStore

/// Finds where the policy of received messages turned: the same for all of one origin up to a message, the opposite from there.
struct PolicyTurns {
    private struct Group: Hashable {
        let origin: Origin
        let kind: ConversationKind?
        let type: ContentType
        /// Whether it is about unread counts, or about previews.
        let isAboutCounts: Bool
    }

    private struct Turn {
        let first: Bool
        var before = 0
        var since = 0
        var position: Position?
        var isMixed = false

        mutating func add(_ value: Bool, at position: Position) {
            if value != first {
                if self.position == nil { self.position = position }
                since += 1
            } else if self.position == nil {
                before += 1
            } else {
                isMixed = true
            }
        }
    }

    /// Fewer messages on either side tell nothing.
    private static let minimum = 5

    private var turns: [Group: Turn] = [:]
    private let account: UserID

    init(account: UserID) { self.account = account }

    mutating func examine(_ message: MessageReceived, _ recorded: RecordedEvent) {
        guard message.sender != account else { return }
        for (isAboutCounts, value) in [
            (true, message.policy.countsUnread), (false, message.policy.updatesLastMessage),
        ] {
            let group = Group(
                origin: recorded.event.origin, kind: recorded.event.conversation?.kind, type: message.content.type,
                isAboutCounts: isAboutCounts)
            turns[group, default: Turn(first: value)].add(value, at: recorded.position)
        }
    }

    /// In the order of the log.
    func findings() -> [Finding] {
        let found = turns.compactMap { group, turn -> Finding? in
            guard let position = turn.position, !turn.isMixed, turn.before >= Self.minimum, turn.since >= Self.minimum
            else { return nil }
            let origin = Origin.names[group.origin] ?? group.origin.description
            let field = group.isAboutCounts ? "countsUnread" : "updatesLastMessage"
            let kind = group.kind.map { ", \($0)" } ?? ""
            let note =
                "\(origin)\(kind), \(group.type): \(field) is \(!turn.first) in \(NumberFormat.count(turn.since)) from "
                + "there on, \(turn.first) in all \(NumberFormat.count(turn.before)) before"
            let rule = "origin.\(origin).\(group.isAboutCounts ? "counts" : "previews")"
            return Finding(at: position, note, topic: "\(rule)=\(turn.first ? "yes" : "no")")
        }
        return found.sorted { ($0.position ?? .origin, $0.note ?? "") < ($1.position ?? .origin, $1.note ?? "") }
    }
}
