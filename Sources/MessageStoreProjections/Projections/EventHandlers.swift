@_spi(Storage) internal import MessageStoreLog

/// What a projection does with events, by their types: the types that it folds are those that it handles.
struct EventHandlers<Fold>: Sendable {
    typealias Handler<Event: ~Escapable> =
        @Sendable (inout Fold, Event, inout FoldRows, inout FoldChanges) throws -> Void

    private var handlers: [EventType: Handler<RecordView>] = [:]

    /// The types that are handled.
    var types: HandledEvents { .types(Set(handlers.keys)) }

    /// With a handler of one type, which can read no other type's fields.
    func on<Payload: EventPayload>(
        _ payload: Payload.Type, _ handler: @escaping Handler<EventView<Payload>>
    ) -> EventHandlers {
        on(payload.declaration.type) { try handler(&$0, EventView($1), &$2, &$3) }
    }

    /// With a handler of some types.
    func on(_ types: EventType..., do handler: @escaping Handler<RecordView>) -> EventHandlers {
        var all = self
        for type in types { all.handlers[type] = handler }
        return all
    }

    subscript(type: EventType) -> Handler<RecordView>? { handlers[type] }
}

/// A projection that folds what its handlers handle.
protocol HandlingProjection: BuiltInProjection {
    static var handlers: EventHandlers<Self> { get }
}

extension HandlingProjection {
    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try Self.handlers[event.type]?(&self, event, &rows, &changes)
    }
}
