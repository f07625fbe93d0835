internal import MessageStoreLMDB

extension ServedViews {
    /// Writes the views anew, without what their file holds of rows that are gone, and puts that in their place.
    ///
    /// What is appended meanwhile is folded into the buffer; reads go on.
    ///
    /// - Parameter check: Called after each step; what it throws ends the work and leaves everything as it was.
    /// - Throws: ``StoreError`` with code `rebuilding` during a rebuild, `LMDBError` or `FileError`.
    package func compact(_ check: () throws -> Void) throws {
        try rebuild.takeFreeTurn()
        defer { rebuild.endTurn() }
        let old = try holdFlushes(from: log.durablePosition, { _ in }).0
        defer { writer.state.signal { $0.isFlushing = false } }
        let path = ViewEnvironment.temporaryPath(nextTo: writer.path)
        do {
            let new = try old.copied(to: path, writer.configuration, check)
            let retired = try ViewEnvironment.retiredPath(nextTo: writer.path)
            try writer.state.withLock { state throws in
                try new.environment.replace(old.environment, retiredTo: retired)
                state.buffer.write(to: new)
            }
        } catch {
            try? FileSystem.remove(path)
            throw error
        }
    }

    /// Removes the views that were replaced, as far as nobody reads them; answers whether all are gone.
    package func removeRetired() throws -> Bool { try ViewEnvironment.removeRetired(nextTo: writer.path) }
}

extension ViewEnvironment {
    /// A copy of all tables in a new directory.
    fileprivate func copied(
        to path: String, _ configuration: ViewConfiguration, _ check: () throws -> Void
    ) throws -> ViewEnvironment {
        let mapSize = try environment.statistics().mapSize
        try FileSystem.createDirectory(path)
        var opening = Environment.Configuration(access: .create, durability: .none, mapSize: mapSize)
        opening.commitFault = configuration.commitFault
        let copy = try ViewEnvironment(path: path, catalog, configuration: opening, tables: tables.map(\.name))
        for (table, target) in zip(tables, copy.tables) {
            var entries = TableCopy()
            while try entries.step(of: table, in: environment, to: target, in: copy.environment) { try check() }
            try check()
        }
        if configuration.durability != .none { try copy.environment.makeDurable(configuration.durability) }
        // Its files' names, before its own.
        try FileSystem.synchronize(path)
        return copy
    }
}
