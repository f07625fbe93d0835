extension Condition {
    /// The conversation of its first term; nil if it needs the events of all.
    var conversation: ConversationKey? {
        switch questions.first?.target {
        case .conversation(let key), .member(_, let key): key
        default: nil
        }
    }

    /// The events that changed what the first term is about.
    func changes(
        in store: MessageStore, through last: Position, progress: MessageStore.ReplayProgress
    ) throws -> Set<Position> {
        guard let (function, target) = questions.first else { return [] }
        let subject: Subject? =
            switch target {
            case .nothing: .badge
            case .conversation(let key) where function.projections == [.unreadCounters]: .unread(key)
            case .conversation(let key): .conversation(key)
            case .user(let user): .profile(user)
            case .member(let user, let key): .member(user, key)
            case .message(let ids, _):
                try ids.first.map {
                    .message(try MessageNames("local:\($0)", in: store, conversation: nil, through: last))
                }
            case .table: nil
            }
        guard let subject else {
            return Set(try store.events(from: Position(1), to: last, limit: .max).map(\.position))
        }
        var changes: Set<Position> = []
        _ = try subject.forEachChange(in: subject.session(store), through: last, progress: progress) {
            changes.insert($0.position)
            return true
        }
        return changes
    }
}
