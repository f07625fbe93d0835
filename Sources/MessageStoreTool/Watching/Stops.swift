/// The positions at which a condition is looked at: the last of each commit, or all.
struct Stops {
    let store: MessageStore
    let isEachEvent: Bool

    var kind: ReplaySession.Stops { isEachEvent ? .events : .commits }

    /// The last stop at or before a position.
    func last(upTo position: Position) throws -> Position {
        let next = Position(position.rawValue + 1)
        guard !isEachEvent else { return position }
        do {
            guard let event = try store.event(at: next) else { return position }
            return Position(event.commit.rawValue - 1)
        } catch let error as StoreError where error.code == .recordDamaged {
            // The events before the damage can be examined.
            return position
        }
    }
}
