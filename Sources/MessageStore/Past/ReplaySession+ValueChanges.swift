/// A change of a value by one event.
public struct ValueChange<Value> {
    /// The position of the event.
    public let position: Position
    /// The value before the event.
    public let before: Value
    /// The value after it.
    public let after: Value
}

extension ValueChange: Sendable where Value: Sendable {}
extension ValueChange: Equatable where Value: Equatable {}

extension ReplaySession {
    /// Finds the events that changed a value, the last ones first, such as those that made an unread count what it is:
    ///
    /// ```swift
    /// let (changes, _) = try session.lastChanges(
    ///     of: { try $0.unread(of: team).messages }, at: EventFilter(conversation: team), limit: 10)
    /// ```
    ///
    /// The first way through the log costs a fold of it; then the events are looked at from the end, until enough
    /// changes are found.
    ///
    /// - Parameters:
    ///   - value: Reads the value. It must not use the session.
    ///   - filter: The events that can change it; others are not looked at.
    ///   - last: The position at which to begin; nil for the last that is durable.
    ///   - limit: The maximum number of changes to find.
    ///   - progress: Called periodically with the position reached and the one to reach; throwing ends the call.
    /// - Returns: The changes, oldest first, and whether they are all that there are; of a log of which records were
    ///   cut off, all since then.
    /// - Throws: As ``read(at:progress:_:)``, or what `value` throws.
    public func lastChanges<Value: Equatable>(
        of value: (borrowing Views) throws -> Value, at filter: EventFilter = .all, through last: Position? = nil,
        limit: Int = .max, progress: MessageStore.ReplayProgress = { _, _ in }
    ) throws -> (changes: [ValueChange<Value>], isComplete: Bool) {
        var changes: [ValueChange<Value>] = []
        guard limit > 0 else { return ([], false) }
        let isComplete = try forEachChange(of: value, at: [filter], and: [], through: last, progress: progress) {
            changes.append($0)
            return changes.count < limit
        }
        return (changes.reversed(), isComplete)
    }

    /// Passes the changes of a value from the last to the first, as long as the body answers that it wants another one.
    ///
    /// - Parameters:
    ///   - filters: The events that can change it.
    ///   - others: Positions of others that can.
    /// - Returns: Whether these are all that there are.
    package func forEachChange<Value: Equatable>(
        of value: (borrowing Views) throws -> Value, at filters: [EventFilter], and others: [Position],
        through last: Position?, progress: MessageStore.ReplayProgress,
        _ body: (ValueChange<Value>) throws -> Bool
    ) throws -> Bool {
        var end = try last ?? durablePosition()
        let replayStart = try opened().log.replayStart
        // On the way there the session keeps what makes each way back short.
        try read(at: end, progress: progress) { _ in }
        let whole = end
        var isWanted = true
        while end > replayStart, isWanted {
            try progress(Position(whole.rawValue - end.rawValue), whole)
            let first = Position(end.rawValue - (end.rawValue - 1) % Self.piece)
            let range = max(first, Position(replayStart.rawValue + 1))...end
            let matching = try filters.flatMap { try positions(of: .matching($0), range) }
            let candidates = Set(matching + others.filter(range.contains)).ordered()
            for change in try changes(of: value, at: candidates).reversed() {
                guard isWanted else { return false }
                isWanted = try body(change)
            }
            end = Position(range.lowerBound.rawValue - 1)
        }
        return end <= replayStart
    }

    /// The changes of a value at some positions, between which it does not change.
    private func changes<Value: Equatable>(
        of value: (borrowing Views) throws -> Value, at positions: [Position]
    ) throws -> [ValueChange<Value>] {
        guard let first = positions.first else { return [] }
        var before = try read(at: Position(first.rawValue - 1), value)
        var changes: [ValueChange<Value>] = []
        _ = try forEach(positions) { views in
            let after = try value(views)
            if after != before {
                changes.append(ValueChange(position: views.position, before: before, after: after))
            }
            before = after
            return true
        }
        return changes
    }
}
