internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension ViewStore {
    /// The views over `active`, at one position of the log.
    func makeViews(_ active: RowLayer, _ state: State) throws -> Views {
        precondition(active.base == state.base, "the filling layer is not based on what is below it")
        // The log's first: while its map grows it lets nobody in, and then no read of the views may be open.
        let snapshot = try log.snapshot()
        return try Views(
            active: active, frozen: state.frozen, base: try state.environment?.environment.beginRead(),
            tables: state.environment?.tables ?? [], log: snapshot, symbols: log.symbols,
            plan: state.plan, rebuild: rebuild)
    }

    /// Lends the filling layer, alone, so that it is changed in place.
    func withFillingLayer<Result>(
        _ state: inout State, _ body: (inout Views) throws -> Result
    ) throws -> Result {
        var views = try makeViews(state.emptyLayer(at: state.active.base), state)
        swap(&views.active, &state.active)
        defer { state.active = views.active }
        return try body(&views)
    }
}
