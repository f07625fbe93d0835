internal import MessageStoreCLMDB

extension Environment {
    /// The bytes of address space reserved now.
    package var mapSize: Int { gate.entered { currentMapSize } }

    /// The same for a caller that holds the gate: LMDB reads the mapped meta pages to answer.
    private var currentMapSize: Int {
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        return info.me_mapsize
    }

    /// Doubles the map once no transaction is open.
    func growMap() throws(LMDBError) {
        let full = mapSize
        try refuseInsideTransaction("grow map")
        try gate.drained { () throws(LMDBError) in
            // Another writer may have grown it while this one waited.
            guard currentMapSize <= full else { return }
            let (doubled, overflow) = full.multipliedReportingOverflow(by: 2)
            guard !overflow else {
                throw LMDBError(.mapFull, operation: "grow map", path: path)
            }
            try check(mdb_env_set_mapsize(handle, doubled), "grow map")
        }
    }

    /// Takes over the map size that another process has set.
    func adoptMapSize() throws(LMDBError) {
        try refuseInsideTransaction("adopt map size")
        try gate.drained { () throws(LMDBError) in
            try check(mdb_env_set_mapsize(handle, 0), "adopt map size")
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
