internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension ViewEnvironment {
    /// The name of a table whose rows do not add up to the digest in a checkpoint; nil where all do.
    ///
    /// Reads every row that can be served: rows of other versions are made anew in any case.
    func tableUnlike(_ checkpoint: Checkpoint, in transaction: borrowing ReadTransaction) throws -> String? {
        let digests = checkpoint.digests(in: catalog)
        for view in catalog.tables(of: checkpoint.current(in: catalog)) {
            let table = tables[view.index]
            let seed = catalog.tables[view.index].digestSeed
            var digest: UInt64 = 0
            var cursor = try transaction.cursor(in: table)
            while try cursor.move(.next) { digest &+= Digest.row(seed, cursor.key, cursor.value) }
            if digest != digests[view.index] { return table.name }
        }
        return nil
    }
}
