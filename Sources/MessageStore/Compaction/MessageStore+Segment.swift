internal import MessageStoreLMDB

extension MessageStore {
    /// Writes what was recorded after a position to a file, while the store is read and written, also by other processes.
    ///
    /// The file continues a backup that ends at the position or later: ``restoreBackup(from:segments:to:applying:progress:)``
    /// appends it. It holds the events, all names that they need, and checksums, and no byte of what was erased before.
    /// What was erased of earlier events is not in it, but in ``erasureLedger()``.
    ///
    /// The file appears at its path when it is whole and on the medium; a crash leaves none.
    ///
    /// - Parameters:
    ///   - position: The last position of the backup, or of the segment before.
    ///   - path: The file; nothing may exist there, and its parent must exist.
    ///   - progress: Called periodically with the position that was written and the last one; throwing ends the work,
    ///     and leaves nothing.
    /// - Returns: The last position of the segment.
    /// - Throws: `StoreError`: `invalidArgument` if nothing was recorded after the position, if something exists at the
    ///   path or if its parent does not, `recordDamaged` where the log is damaged, `diskFull`; or what `progress` throws.
    @discardableResult
    public func writeSegment(
        after position: Position, to path: String, progress: ReplayProgress = { _, _ in }
    ) throws -> Position {
        let log = try opened().log
        return try StoreError.translating {
            let file = try StoreDirectory(new: path).path
            let storeID = try StoreIdentity.read(from: self.path).idBytes ?? []
            let parent = FileSystem.parent(of: file)
            guard try FileSystem.status(of: parent + "/.") != nil else {
                throw StoreError(.invalidArgument, "the directory for the segment does not exist", path: parent)
            }
            Leftovers.remove(.creating, in: parent)
            let temporary = parent + "/" + Leftovers.Mark.creating.newName()
            do {
                let last = try closing.ending(progress) { progress in
                    try FileSystem.create(temporary) { write in
                        try log.writeSegment(after: position, storeID: storeID, write, progress: progress)
                    }
                }
                try FileSystem.rename(temporary, to: file)
                try FileSystem.synchronize(parent)
                return last
            } catch {
                try? FileSystem.remove(temporary)
                throw error
            }
        }
    }
}
