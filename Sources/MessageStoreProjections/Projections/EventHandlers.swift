@_spi(Storage) internal import MessageStoreLog

/// What a projection does with events, by their types: the types that it folds are those that it handles.
struct EventHandlers<Fold: ~Copyable>: Sendable {
    typealias Handler<Event: ~Escapable> =
        @Sendable (inout Fold, Event, inout FoldRows, inout FoldChanges) throws -> Void

    /// By the types' numbers, because every event is looked up.
    private var handlers: [Handler<RecordView>?] = []

    private var typeSet: Set<EventType>
    /// The types that the projection folds.
    var types: HandledEvents { .types(typeSet) }

    /// - Parameter types: Those that are folded without a handler, for what other projections made of them.
    init(following types: Set<EventType> = []) { typeSet = types }

    /// With a handler of one type, which can read no other type's fields.
    func on<Payload: EventPayload>(
        _ payload: Payload.Type, _ handler: @escaping Handler<EventView<Payload>>
    ) -> EventHandlers {
        on([payload.declaration.type]) { try handler(&$0, EventView($1), &$2, &$3) }
    }

    /// With a handler of some types.
    func on(_ types: EventType..., do handler: @escaping Handler<RecordView>) -> EventHandlers {
        on(Set(types), do: handler)
    }

    /// With a handler of some types, in place of an earlier one.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func on(_ types: Set<EventType>, do handler: @escaping Handler<RecordView>) -> EventHandlers {
        var all = self
        for type in types {
            let missing = max(0, Int(type.rawValue) + 1 - all.handlers.count)
            all.handlers += [Handler<RecordView>?](repeating: nil, count: missing)
            all.handlers[Int(type.rawValue)] = handler
            all.typeSet.insert(type)
        }
        return all
    }

    subscript(type: EventType) -> Handler<RecordView>? {
        type.rawValue < handlers.count ? handlers[Int(type.rawValue)] : nil
    }
}

/// A projection that folds what its handlers handle.
protocol HandlingProjection: BuiltInProjection, ~Copyable {
    static var handlers: EventHandlers<Self> { get }
}

extension HandlingProjection where Self: ~Copyable {
    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try Self.handlers[event.type]?(&self, event, &rows, &changes)
    }

    /// Handles an event that is no message, for a projection that does more with each event.
    @inline(__always)
    mutating func handle(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        if !event.type.isMessage { try Self.handlers[event.type]?(&self, event, &rows, &changes) }
    }
}
