/// A stop at which a condition is true and was not at the stop before, or the other way round.
struct Flip {
    let position: Position
    let isTrue: Bool
    /// The values of the condition's terms.
    let values: [ConditionValue]
}

/// Looks for flips in one pass over a part of a log: a value that rises may fall again, so none can be left out.
struct FlipScan {
    let session: ReplaySession
    let condition: Condition
    let stops: Stops

    /// The number of flips found in one go before they are reported.
    private static let limit = 256
    /// The number of positions after which the flips found so far are reported.
    private static let piece: UInt64 = 4096

    /// Calls `body` with each flip between two positions, both included, in order, until it returns false.
    ///
    /// The first stop is compared with the one before the range. The body may use the store, and not the session.
    ///
    /// - Returns: Whether the condition was true before the range, and at the last stop that was looked at.
    func forEachFlip(
        from first: Position, through last: Position, progress: MessageStore.ReplayProgress = { _, _ in },
        _ body: (Flip) throws -> Bool
    ) throws -> (before: Bool, after: Bool) {
        let start = try stops.last(upTo: Position(first.rawValue - 1))
        let before = try session.read(at: start, progress: progress) { condition.holds(try condition.values($0)) }
        var isTrue = before
        var next = first
        while next <= last {
            let (flips, reached) = try flips(from: next, through: last, isTrue, progress)
            for flip in flips {
                isTrue = flip.isTrue
                guard try body(flip) else { return (before, isTrue) }
            }
            next = Position(reached.rawValue + 1)
        }
        return (before, isTrue)
    }

    /// The next flips, and the position up to which was looked.
    private func flips(
        from first: Position, through last: Position, _ wasTrue: Bool, _ progress: MessageStore.ReplayProgress
    ) throws -> (flips: [Flip], reached: Position) {
        var flips: [Flip] = []
        var isTrue = wasTrue
        var reached = last
        do {
            try session.forEachStop(at: stops.kind, from: first, through: last) { views in
                let values = try condition.values(views)
                if condition.holds(values) != isTrue {
                    isTrue.toggle()
                    flips.append(Flip(position: views.position, isTrue: isTrue, values: values))
                }
                try progress(views.position, last)
                guard let found = flips.first else { return true }
                guard flips.count < Self.limit, views.position.rawValue - found.position.rawValue < Self.piece else {
                    reached = views.position
                    return false
                }
                return true
            }
        } catch let error as StoreError where error.isOfRecord {
            // The flips found before the damage are reported first.
            guard let found = flips.last else { throw error }
            reached = found.position
        }
        return (flips, reached)
    }
}

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
        } catch let error as StoreError where error.isOfRecord {
            // The events before the damage can be examined.
            return position
        }
    }
}
