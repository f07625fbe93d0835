internal import MessageStoreCLMDB

extension Environment {
    /// The bytes of address space reserved now.
    package var mapSize: Int {
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        return info.me_mapsize
    }

    /// Doubles the map once no transaction is open.
    func growMap() throws(LMDBError) {
        let full = mapSize
        try gate.drained { () throws(LMDBError) in
            // Another writer may have grown it while this one waited.
            guard mapSize <= full else { return }
            let (doubled, overflow) = full.multipliedReportingOverflow(by: 2)
            guard !overflow else {
                throw LMDBError(.mapFull, operation: "grow map", path: path)
            }
            try check(mdb_env_set_mapsize(handle, doubled), "grow map")
        }
    }

    /// Takes over the map size that another process has set.
    func adoptMapSize() throws(LMDBError) {
        try gate.drained { () throws(LMDBError) in
            try check(mdb_env_set_mapsize(handle, 0), "adopt map size")
        }
    }
}
