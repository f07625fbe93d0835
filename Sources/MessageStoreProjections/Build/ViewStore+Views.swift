internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension ViewStore {
    /// The views over `active`, at one position of the log.
    func makeViews(_ active: RowLayer, _ state: State) throws -> Views {
        precondition(active.base == state.base, "the filling layer is not based on what is below it")
        return try Views(
            active: active, frozen: state.frozen, base: try state.environment?.environment.beginRead(),
            tables: state.environment?.tables ?? [], log: try log.snapshot(), symbols: log.symbols,
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
