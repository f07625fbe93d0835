/// Counts the transactions of an environment so that its map can be resized while there are none.
///
/// `mdb_env_set_mapsize` succeeds under a live reader and leaves it with dangling pointers;
/// LMDB does not check, so we must.
struct TransactionGate: Sendable {
    private struct State {
        var active = 0
        var isClosed = false
    }

    private let state = Locked(State())

    /// Enters as one transaction; waits while the map is being resized.
    func enter() {
        state.waitUntil({ !$0.isClosed }, then: { $0.active += 1 })
    }

    func leave() {
        state.signal { $0.active -= 1 }
    }

    /// Lets no transaction begin, waits until all have ended, runs `body`, and opens again.
    func drained<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        state.waitUntil({ !$0.isClosed }, then: { $0.isClosed = true })
        defer { state.signal { $0.isClosed = false } }
        return try state.waitUntil({ $0.active == 0 }) { _ throws(Failure) in try body() }
    }
}
