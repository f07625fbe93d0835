/// The events that somebody asked for by names.
struct EventSelection {
    var filter: EventFilter
    var search: EventSearch

    /// - Parameters:
    ///   - types: Names of types, the library's or a host's; none for all.
    ///   - conversation: Only events of this conversation; nil for all.
    ///   - names: Only events that name this message; nil for all.
    ///   - text: Only events that hold this text; nil for all.
    ///   - store: The store.
    /// - Throws: ``ToolError`` where there is no such type.
    init(
        types: [String], conversation: ConversationKey?, names: MessageNames?, text: String?, in store: MessageStore
    ) throws {
        (filter, search) = (EventFilter(conversation: names?.conversation ?? conversation), EventSearch())
        (search.message, search.text) = (names, text.map { SoughtText($0) })
        guard !types.isEmpty else { return }
        let hosts = HostEvents(try store.eventDescriptions())
        filter.types = Set(
            try types.map { type in
                guard let found = EventType(name: type) ?? hosts.type(named: type) else {
                    throw ToolError.usage("there is no event type \(type)" + type.remedy(among: hosts.typeNames))
                }
                return found
            })
    }
}
