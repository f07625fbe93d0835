import MessageStore

extension MessageStore {
    /// Records events and answers the messages among them of which listeners are told, in the order of the events: no
    /// repeats, nothing that a filter hides.
    package func arrivals(of events: [Event]) throws -> [Arrival] {
        try arrivals(of: events) { try record(events) }
    }

    /// The same of a package that the server kept.
    package func arrivals(of package: OfflinePackage) throws -> [Arrival] {
        try arrivals(of: package.events) { try ingest(package) }
    }

    private func arrivals(of events: [Event], _ record: () throws -> RecordResult) throws -> [Arrival] {
        let result = try record()
        let known = Set(result.known)
        return try read { views in
            try events.indices.compactMap { index in
                let event = events[index]
                guard event.type == .messageReceived, !known.contains(index) else { return nil }
                guard let position = result.positions[index] else { return Arrival(event: event, message: nil) }
                return try views.message(LocalMessageID(position.rawValue)).map { Arrival(event: event, message: $0) }
            }
        }
    }
}
