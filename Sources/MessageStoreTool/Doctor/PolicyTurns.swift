/// Finds where the policy of received messages turned: the same for all of one origin up to a message, the opposite
/// from there.
struct PolicyTurns {
    private struct Group: Hashable {
        let origin: Origin
        let kind: ConversationKind?
        let type: ContentType
        /// The name of the policy's field, and that of the rule that sets it.
        let field: String
        let rule: String
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

    private var turns: [Group: Turn] = [:]
    private let account: UserID

    init(account: UserID) { self.account = account }

    mutating func examine(_ message: MessageReceived, _ recorded: RecordedEvent) {
        guard message.sender != account else { return }
        for (field, rule, value) in [
            ("countsUnread", "counts", message.policy.countsUnread),
            ("updatesLastMessage", "previews", message.policy.updatesLastMessage),
        ] {
            let group = Group(
                origin: recorded.source.origin, kind: recorded.source.conversation?.kind, type: message.content.type,
                field: field, rule: rule)
            turns[group, default: Turn(first: value)].add(value, at: recorded.position)
        }
    }

    /// In the order of the log.
    func findings() -> [Finding] {
        turns.compactMap { Self.finding($0.value, of: $0.key) }
            .ordered { ($0.position ?? .origin, $0.topic ?? "") < ($1.position ?? .origin, $1.topic ?? "") }
    }

    /// nil where nothing turned.
    private static func finding(_ turn: Turn, of group: Group) -> Finding? {
        guard let position = turn.position, !turn.isMixed, turn.before >= minimum, turn.since >= minimum else {
            return nil
        }
        let origin = Origin.names[group.origin] ?? group.origin.description
        let kind = group.kind.map { ", \($0)" } ?? ""
        let (before, since) = (NumberFormat.count(turn.before), NumberFormat.count(turn.since))
        let topic = "origin.\(origin).\(group.rule)=\(turn.first ? "yes" : "no")"
        return Finding(at: position, topic: topic) { _ in
            "\(origin)\(kind), \(group.type): \(group.field) is \(!turn.first) in \(since) from there on, "
                + "\(turn.first) in all \(before) before"
        }
    }
}
