internal import MessageStore

/// Finds where the policy of received messages turned: the same for all of one origin up to a message, the opposite
/// from there.
struct PolicyTurns {
    private struct Group: Hashable {
        let origin: Origin
        let kind: ConversationKind?
        let type: ContentType
    }

    /// The turns of whether messages count, and of whether they may be previews.
    private struct Turns {
        var counts: Turn
        var previews: Turn

        mutating func add(_ policy: MessagePolicy, at position: Position) {
            counts.add(policy.countsUnread, at: position)
            previews.add(policy.updatesLastMessage, at: position)
        }
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

    /// Fewer messages on either side prove nothing.
    private static let minimum = 5

    private var turns: [Group: Turns] = [:]
    private let account: UserID

    init(account: UserID) { self.account = account }

    mutating func examine(_ message: MessageReceived, _ recorded: RecordedEvent) {
        guard message.sender != account else { return }
        let group = Group(
            origin: recorded.event.origin, kind: recorded.event.conversation?.kind, type: message.content.type)
        let policy = message.policy
        let new = Turns(counts: Turn(first: policy.countsUnread), previews: Turn(first: policy.updatesLastMessage))
        turns[group, default: new].add(policy, at: recorded.position)
    }

    /// In the order of the log.
    func findings() -> [Finding] {
        let found = turns.flatMap { group, turns in
            [
                Self.finding(turns.counts, of: group, field: "countsUnread", rule: "counts"),
                Self.finding(turns.previews, of: group, field: "updatesLastMessage", rule: "previews"),
            ]
            .compactMap { $0 }
        }
        return found.sorted {
            ($0.position ?? .origin, $0.topic ?? "") < ($1.position ?? .origin, $1.topic ?? "")
        }
    }

    /// nil where nothing turned.
    private static func finding(_ turn: Turn, of group: Group, field: String, rule: String) -> Finding? {
        guard let position = turn.position, !turn.isMixed, turn.before >= minimum, turn.since >= minimum else {
            return nil
        }
        let origin = Origin.names[group.origin] ?? group.origin.description
        let kind = group.kind.map { ", \($0)" } ?? ""
        return Finding(
            at: position,
            "\(origin)\(kind), \(group.type): \(field) is \(!turn.first) in \(NumberFormat.count(turn.since)) from there on, "
                + "\(turn.first) in all \(NumberFormat.count(turn.before)) before",
            topic: "origin.\(origin).\(rule)=\(turn.first ? "yes" : "no")")
    }
}
