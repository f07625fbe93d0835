internal import MessageStoreLMDB

/// The turn to rebuild a store's projections, and how far the rebuild has come that has it.
final class RebuildState: Sendable {
    private struct State {
        var progress: (reached: Position, last: Position)?
        var isTaken = false
        /// Counts what those who wait are woken for.
        var news: UInt64 = 0
    }

    private let state = Locked(State())

    /// How far the rebuild that is under way has come; nil while none is.
    var current: (reached: Position, last: Position)? { state.withLock { $0.progress } }

    /// Waits for the end of the rebuild that is under way, and reports how far that has come.
    ///
    /// - Throws: What `progress` throws, which is called once at least and whenever there is news.
    func takeTurn(in log: EventLog, _ progress: FoldProgress) throws {
        var seen: UInt64?
        while true {
            let current = state.waitUntil({ !$0.isTaken || $0.news != seen }) { state in
                defer { state.isTaken = true }
                seen = state.news
                return state.isTaken ? (isMine: false, progress: state.progress) : (isMine: true, progress: nil)
            }
            guard !current.isMine else { return }
            try progress(current.progress?.reached ?? .origin, current.progress?.last ?? log.lastPosition)
        }
    }

    /// Takes the turn unless a rebuild is under way.
    ///
    /// - Throws: ``StoreError`` with code `rebuilding`.
    func takeFreeTurn() throws {
        let isMine = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if !isMine { throw StoreError(.rebuilding, "another rebuild is under way") }
    }

    func note(_ reached: Position, _ last: Position) { tell { $0.progress = (reached, last) } }

    func endTurn() { tell { ($0.progress, $0.isTaken) = (nil, false) } }

    /// Lets those who wait for the turn report progress once more.
    func wake() { tell { _ in } }

    private func tell(_ change: (inout State) -> Void) {
        state.signal { state in
            change(&state)
            state.news &+= 1
        }
    }

    /// The error of a read of a projection that is being rebuilt.
    func error(_ id: ProjectionID?) -> StoreError {
        let name = id.map { "the projection \($0)" } ?? "a projection"
        guard let (reached, last) = current else {
            return StoreError(.rebuilding, "\(name) waits for its rebuild")
        }
        return StoreError(.rebuilding, "\(name) is rebuilt: \(reached) of \(last) events", position: reached)
    }
}
