extension ViewDiagnostics {
    /// How many events the log holds of each type that is neither built in nor registered by the host.
    ///
    /// - Throws: `StoreError`.
    public static func unknownEventCounts(in views: borrowing Views) throws -> [EventType: Int] {
        var counts: [EventType: Int] = [:]
        try views.snapshot.forEachRow(UnknownEvents.counts) { key, row in
            guard let count = Int(exactly: row.number) else {
                throw StoreError.impossibleCount(in: UnknownEvents.counts, at: key)
            }
            // The rows do not depend on what is registered, so that they are the same for every reader.
            let type = EventType(rawValue: key.type)
            if !views.snapshot.symbols.types.isRegistered(type) { counts[type] = count }
            return true
        }
        return counts
    }
}
