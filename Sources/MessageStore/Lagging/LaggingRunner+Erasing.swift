internal import Dispatch
internal import MessageStoreLMDB

/// The removal of the log's lost content from the rows, and with a compaction from the files.
extension LaggingRunner {
    /// Runs `body`, which removes the contents of events from the log; the rows lose their knowledge of them
    /// afterwards.
    ///
    /// - Parameter isPartial: Whether more events lose contents than these.
    func erasing<Result>(
        _ positions: [Position], isPartial: Bool, _ body: () throws -> Result
    ) throws -> Result {
        erasures.enter()
        state.withLock { $0.rewritings += 1 }
        defer {
            state.withLock { $0.rewritings -= 1 }
            erasures.leave()
        }
        do {
            if let files = try files(isReadOnly: false), !isPartial {
                try files.noteErasing(positions)
            } else {
                try drop()
            }
        } catch {
            try drop()
        }
        return try body()
    }

    /// Removes the log's lost content; false if the projection cannot.
    func eraseNoted(_ files: LaggingFiles, _ resources: MessageStore.WritingResources) throws -> Bool {
        guard try !files.environment.read({ try files.erasing(in: $0) }).isEmpty else { return true }
        return try files.environment.write { transaction in
            // Counted before the positions are noted, which waits for this transaction.
            guard state.withLock({ $0.rewritings == 0 }) else { return true }
            let positions = try files.erasing(in: transaction)
            let views = Views(try resources.views.snapshot())
            let rows = LaggingRows(transaction: WriteTransaction(transaction), table: files.rows)
            guard try projection.erase(positions, in: views, from: rows) else { return false }
            try files.noteErased(in: transaction)
            return true
        }
    }

    /// Writes the files anew if they may have bytes that had to go.
    func compact(_ store: MessageStore) throws {
        try working.withLock { _ throws in
            // A process that was killed may have left one.
            if try hasCopy() {
                try FileSystem.remove(path + Self.copyName)
                try FileSystem.synchronize(FileSystem.parent(of: path))
            }
            do {
                guard let files = try files(isReadOnly: false) else { return try drop() }
                guard try files.isOwing() else { return }
                repeat {
                    erasures.wait()
                    guard try eraseNoted(files, store.openedForWriting()) else { return try drop() }
                    while try maintain(files, thoroughly: true) { try store.closing.check() }
                } while try !copy(files, store, isClean: true)
            } catch let error as StoreError where error.isOfClosedStore {
                throw error
            } catch {
                try drop()
            }
        }
    }

    /// Whether the files may have bytes that had to go.
    func isOwing() throws -> Bool {
        if try hasCopy() { return true }
        guard let files = try files(isReadOnly: false) else { return try FileSystem.status(of: path) != nil }
        return try files.isOwing()
    }

    private func hasCopy() throws -> Bool { try FileSystem.status(of: path + Self.copyName) != nil }

    /// Puts a copy of the rows in the place of the files; false if an erasure has begun meanwhile.
    ///
    /// - Parameter isClean: Whether the rows have nothing that had to go.
    @discardableResult
    func copy(_ files: LaggingFiles, _ store: MessageStore, isClean: Bool) throws -> Bool {
        let copy = path + Self.copyName
        do {
            try FileSystem.remove(copy)
            try files.copy(to: copy, isClean: isClean) { try store.closing.check() }
            return try state.withLock { state throws in
                // Erasures under way were noted in the old files alone, which may have been dropped for them.
                guard
                    try state.rewritings == 0 && state.files?.environment === files.environment
                        && files.environment.read({ try files.erasing(in: $0) }).isEmpty
                else {
                    try FileSystem.remove(copy)
                    return false
                }
                state.files = nil
                // A crash in between leaves none, and the rows are made again.
                try FileSystem.remove(path)
                try FileSystem.rename(copy, to: path)
                // A loss of power must not leave the old ones.
                try FileSystem.synchronize(FileSystem.parent(of: path))
                return true
            }
        } catch {
            try? FileSystem.remove(copy)
            throw error
        }
    }

    /// An ending that no name of a projection has.
    static let copyName = "~copy"
}
