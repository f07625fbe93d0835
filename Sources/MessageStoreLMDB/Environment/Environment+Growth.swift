internal import MessageStoreCLMDB

extension Environment {
    /// The bytes of address space reserved now.
    package var mapSize: Int { gate.entered { currentMapSize } }

    /// The same for a caller that holds the gate: LMDB reads the mapped meta pages to answer.
    private var currentMapSize: Int {
        var info = MDB_envinfo()
        if let opened { mdb_env_info(opened, &info) }
        return info.me_mapsize
    }

    /// Doubles the map once no transaction is open.
    func growMap() throws(LMDBError) {
        let full = mapSize
        try refuseInsideTransaction("grow map")
        try gate.drained { () throws(LMDBError) in
            // Another writer may have grown it while this one waited.
            guard currentMapSize <= full else { return }
            try refuseUnderKeptSnapshots("grow map")
            let (doubled, overflow) = full.multipliedReportingOverflow(by: 2)
            guard !overflow else {
                throw LMDBError(.mapFull, operation: "grow map", path: path)
            }
            try resize(to: doubled, "grow map")
        }
    }

    /// Kept snapshots are bound to the map as it is.
    private func refuseUnderKeptSnapshots(_ operation: String) throws(LMDBError) {
        guard keptSnapshots.withLock({ $0 }) > 0 else { return }
        throw LMDBError(.mapFull, operation: operation, path: path, detail: "snapshots are kept")
    }

    /// Takes over the map size that another process has set.
    func adoptMapSize() throws(LMDBError) {
        try refuseInsideTransaction("adopt map size")
        try gate.drained { () throws(LMDBError) in
            try refuseUnderKeptSnapshots("adopt map size")
            try resize(to: 0, "adopt map size")
        }
    }

    /// Maps the file anew; where there is no address space for that, LMDB has lost the map it had, and the handle with
    /// it.
    private func resize(to size: Int, _ operation: String) throws(LMDBError) {
        let old = currentMapSize
        do throws(LMDBError) {
            try check(mdb_env_set_mapsize(handle, size), operation)
        } catch {
            try reopenDrained(mapSize: old)
            throw error
        }
    }

    /// Whether the calling thread holds a transaction of this environment.
    package var isHeldByCurrentThread: Bool { gate.isHeldByCurrentThread }

    /// A thread that waited for its own transaction to end would wait for ever.
    private func refuseInsideTransaction(_ operation: String) throws(LMDBError) {
        guard gate.isHeldByCurrentThread else { return }
        throw LMDBError(.mapFull, operation: operation, path: path, detail: "the thread still holds a transaction")
    }
}
