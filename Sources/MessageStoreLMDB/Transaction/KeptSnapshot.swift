internal import MessageStoreCLMDB

/// A snapshot of an environment that is read again and again, on any thread, but on one at a time.
///
/// As long as there is one, the pages that it sees are not used again and the environment's map stays as it is: a write
/// that needs a larger one throws `mapFull`.
package final class KeptSnapshot: @unchecked Sendable {  // LMDB's handle is used by one thread at a time.
    private let environment: Environment
    private let handle: OpaquePointer
    private let generation: Int

    /// Keeps the environment's last commit.
    package init(of environment: Environment) throws(LMDBError) {
        self.environment = environment
        (handle, generation) = try environment.gate.entered { () throws(LMDBError) in
            let handle = try environment.beginReader()
            environment.keptSnapshots.withLock { $0 += 1 }
            return (handle, environment.generation)
        }
    }

    deinit {
        environment.gate.entered {
            // A handle of LMDB that was given up took its transactions with it.
            if environment.generation == generation { mdb_txn_abort(handle) }
            environment.keptSnapshots.withLock { $0 -= 1 }
        }
    }

    /// Begins a read of the snapshot; those of other threads must have ended.
    @available(*, noasync)
    package func read() throws(LMDBError) -> ReadTransaction {
        environment.gate.enter()
        guard environment.generation == generation else {
            environment.gate.leave()
            throw LMDBError(
                .panic, operation: "read a kept snapshot", path: environment.path,
                detail: "LMDB's handle was opened anew")
        }
        return ReadTransaction(environment: environment, handle: handle, keeper: self)
    }
}
