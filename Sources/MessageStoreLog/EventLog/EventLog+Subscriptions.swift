internal import MessageStoreLMDB

/// How far each durable subscriber has come: a table of the log, since it refers to the log and must outlive the views.
///
/// A log that never had a subscriber has no such table; the first position makes it.
extension EventLog {
    /// Every subscriber that has a position, by the order of the names' bytes.
    package func subscriptionPositions() throws -> [(name: String, position: Position)] {
        let tables = storage.tables
        guard let table = try tables.subscriptionTable(create: false) else { return [] }
        return try tables.environment.read { transaction in
            var found: [(name: String, position: Position)] = []
            var cursor = try transaction.cursor(in: table)
            while try cursor.move(.next) { found.append((cursor.key.string, try Self.position(cursor.value))) }
            return found
        }
    }

    /// The position of one subscriber, or nil.
    package func subscriptionPosition(of name: String) throws -> Position? {
        let tables = storage.tables
        guard let table = try tables.subscriptionTable(create: false) else { return nil }
        let key = Array(name.utf8)
        return try tables.environment.read { transaction in
            guard let value = try transaction.value(for: key.span.bytes, in: table) else { return nil }
            return try Self.position(value)
        }
    }

    /// Sets a subscriber's position; nil forgets it. Must not be done while events are appended.
    package func setSubscriptionPosition(_ position: Position?, of name: String) throws {
        let tables = storage.tables
        guard let table = try tables.subscriptionTable(create: position != nil) else { return }
        let key = Array(name.utf8)
        try tables.environment.write { transaction in
            guard let position else {
                try transaction.remove(key.span.bytes, in: table)
                return
            }
            let value = [position.rawValue.bigEndian]
            try transaction.put(value.span.bytes, for: key.span.bytes, in: table)
        }
    }

    /// Takes positions beyond the log's end back to it: events that were delivered and not durable are gone, and others
    /// get their positions.
    func limitSubscriptionPositions() throws {
        let last = lastPosition
        for (name, position) in try subscriptionPositions() where position > last {
            try setSubscriptionPosition(last, of: name)
        }
    }

    private static func position(_ value: RawSpan) throws -> Position {
        // No log reaches the greatest number; the arithmetic on positions relies on it.
        guard value.byteCount == 8, let number = value.loadBigEndian(at: 0, as: UInt64.self), number < UInt64.max else {
            throw StoreError(.logDamaged, "a subscriber's position cannot be read")
        }
        return Position(number)
    }
}
