import MessageStoreLog

@testable import MessageStoreProjections

extension RowLayer {
    /// An empty layer of the library's tables.
    init(position: Position) { self.init(position: position, tables: ViewTable.builtIn.count) }
}

extension ViewEnvironment {
    /// Writes a layer of all projections of the library.
    func write(_ layer: RowLayer, _ checkpoint: Checkpoint, pages: Int = 4096) throws {
        try write(layer, of: ProjectionCatalog.builtIn.all, checkpoint, pages: pages)
    }
}

extension ReadScope {
    /// The scope of a reader of the library's projections.
    static var builtIn: ReadScope {
        ReadScope(FoldPlan(.builtIn, folded: ProjectionCatalog.builtIn.all), RebuildState())
    }
}
