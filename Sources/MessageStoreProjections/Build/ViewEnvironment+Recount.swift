internal import MessageStoreLMDB

extension ViewEnvironment {
    /// The tables that are counted again when views are opened: all that are served where all damage must be seen, and
    /// those that decide what is recorded, where the files were not as they were left.
    func tablesToRecount(_ checkpoint: Checkpoint) -> [ViewTable] {
        let served = catalog.tables(of: checkpoint.current(in: catalog))
        if environment.configuration.pageCheck == .always { return served }
        return environment.walkedBytes > 0 && environment.configuration.access != .readOnly
            ? ViewTable.ofKnownEvents.filter(served.contains) : []
    }

    /// The name of a table whose rows do not add up to the digest in a checkpoint; nil where all do.
    func tableUnlike(
        _ checkpoint: Checkpoint, among recounted: [ViewTable], in transaction: borrowing ReadTransaction
    ) throws -> String? {
        let digests = checkpoint.digests(in: catalog)
        for view in recounted {
            let table = tables[view.index]
            let seed = catalog.tables[view.index].digestSeed
            var digest: UInt64 = 0
            var cursor = StoredCursor(view, try transaction.unboundCursor(in: table))
            while try cursor.move(.next) { digest &+= Digest.row(seed, cursor.key, cursor.value) }
            if view == .identities {
                try StoredIdentities(in: transaction, identityRuns).forEach(in: transaction) {
                    digest &+= Digest.identity(seed, $0)
                }
            }
            if digest != digests[view.index] { return table.name }
        }
        return nil
    }
}
