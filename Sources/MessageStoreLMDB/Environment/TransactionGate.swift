/// Counts the transactions of an environment so that its map can be resized while there are none.
///
/// `mdb_env_set_mapsize` succeeds under a live reader and leaves it with dangling pointers; LMDB does not
/// check, so we must. A thread that holds a transaction may begin another while a resize waits, since the resize
/// waits for that thread anyway.
struct TransactionGate: Sendable {
    private struct State {
        var holders: [UInt: Int] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    /// Enters as one transaction; waits while the map is being resized.
    func enter() {
        let thread = Self.currentThread
        state.waitUntil({ !$0.isClosed || $0.holders[thread] != nil }, then: { $0.holders[thread, default: 0] += 1 })
    }

    /// Leaves; must be called on the thread that entered.
    func leave() {
        let thread = Self.currentThread
        state.signal { state in
            guard let count = state.holders[thread] else {
                preconditionFailure("a transaction ends on a thread that did not begin it")
            }
            state.holders[thread] = count > 1 ? count - 1 : nil
        }
    }

    /// Runs `body` while the map stays where it is.
    func entered<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        enter()
        defer { leave() }
        return try body()
    }

    /// Whether the calling thread holds a transaction.
    var isHeldByCurrentThread: Bool {
        let thread = Self.currentThread
        return state.withLock { $0.holders[thread] != nil }
    }

    /// Lets no transaction begin, waits until all have ended, runs `body`, and opens again.
    ///
    /// The calling thread must hold none.
    func drained<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        precondition(!isHeldByCurrentThread, "a thread would wait for the end of its own transaction")
        state.waitUntil({ !$0.isClosed }, then: { $0.isClosed = true })
        defer { state.signal { $0.isClosed = false } }
        return try state.waitUntil({ $0.holders.isEmpty }) { _ throws(Failure) in try body() }
    }

    /// A number of the calling thread.
    static var currentThread: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
