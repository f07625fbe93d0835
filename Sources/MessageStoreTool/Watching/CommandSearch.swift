internal import MessageStore

/// A binary search for the stop at which the verdict of a command flips; it assumes that it does so once.
struct CommandSearch {
    let judge: CommandJudge
    let stops: Stops
    /// Told of each position that was judged.
    let note: (Position, CommandJudge.Verdict) -> Void

    private func verdict(at position: Position) throws -> CommandJudge.Verdict {
        let verdict = try judge.verdict(at: position)
        note(position, verdict)
        return verdict
    }

    /// Finds the flip behind one stop and up to another.
    ///
    /// - Returns: The flip, and the last stop before it that was judged; between them are only skipped ones.
    /// - Throws: ``ToolError`` where the verdicts of both do not differ.
    func flip(after first: Position, upTo last: Position) throws -> (flip: Flip, before: Position) {
        let before = try verdict(at: first)
        let after = first == last ? before : try verdict(at: last)
        guard before != .skip, after != .skip else {
            throw ToolError.check(
                "the command skipped position \(before == .skip ? first : last), an end of the search")
        }
        guard before != after else {
            let word = before == .isTrue ? "true" : "false"
            throw ToolError.check(
                "the command says \(word) at both ends, \(first) and \(last); one of them must differ")
        }
        var (low, high) = (first, last)
        var skipped: Set<Position> = []
        while let position = try candidate(low, high, skipped) {
            let verdict = try verdict(at: position)
            switch verdict {
            case .skip: skipped.insert(position)
            case before: low = position
            default: high = position
            }
        }
        return (Flip(position: high, isTrue: after == .isTrue, values: []), low)
    }

    /// The stop in the middle of two others, or a quarter, an eighth and so on of the way where it was skipped; nil where
    /// there is none between them, or 63 of them were skipped.
    private func candidate(_ low: Position, _ high: Position, _ skipped: Set<Position>) throws -> Position? {
        for parts: UInt64 in [2, 4, 8, 16, 32, 64] {
            for part in stride(from: 1, to: parts, by: 2) {
                let offset = (high.rawValue - low.rawValue).multipliedFullWidth(by: part)
                var stop = try stops.last(upTo: Position(low.rawValue + parts.dividingFullWidth(offset).quotient))
                if stop <= low { stop = try stops.next(after: low) }
                if stop < high, !skipped.contains(stop) { return stop }
            }
        }
        return nil
    }
}
