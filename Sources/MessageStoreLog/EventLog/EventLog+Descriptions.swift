internal import MessageStoreLMDB

/// The declarations of hosts' types of events: written once for each version, and never removed, so that programs
/// without the host's code can still show its events.
extension EventLog {
    /// The descriptions that the log holds, by type and version.
    package func eventDescriptions() throws -> [EventDescription] {
        try symbols.read { transaction, tables in
            var found: [EventDescription] = []
            var cursor = try transaction.cursor(in: tables.names)
            var isFound = try cursor.seek(SymbolTable.key(.hostEvent, 0).span.bytes)
            while isFound, cursor.key.load(at: 0, as: UInt8.self) == SymbolSpace.hostEvent.rawValue {
                let number = cursor.key.loadBigEndian(at: 1, as: UInt32.self) ?? 0
                let bytes = try symbols.storedName(.hostEvent, number, in: transaction, tables)
                guard let description = EventDescription(number: number, bytes: bytes) else {
                    throw StoreError(.logDamaged, "the description of an event type cannot be read")
                }
                found.append(description)
                isFound = try cursor.move(.next)
            }
            return found
        }
    }

    /// Compares the registered types with the log, and describes in it what it does not know yet.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where a number belongs to another name in this log, or a
    ///   field had another type in the same version.
    func describeTypes(isReadOnly: Bool) throws {
        guard !symbols.types.hosts.isEmpty else { return }
        let stored = try eventDescriptions()
        var new: [EventDescription] = []
        for entry in symbols.types.hosts.values {
            var description = EventDescription(entry)
            if let other = stored.first(where: { $0.isAtOdds(with: description) }) {
                throw StoreError(
                    .invalidArgument,
                    "\(description.name) has the number \(description.type), and \(other.name) has the number "
                        + "\(other.type) in this store: names and numbers are kept", path: environment.path)
            }
            if let known = stored.first(where: { $0.number == description.number }) {
                description = try description.merging(known)
                if description.bytes == known.bytes { continue }
            }
            new.append(description)
        }
        guard !isReadOnly, !new.isEmpty else { return }
        try describe(new)
    }

    /// Writes descriptions as another log had them.
    package func describe(_ descriptions: [EventDescription]) throws {
        let tables = storage.tables
        try tables.environment.write { transaction in
            for description in descriptions {
                try tables.writeName(
                    .init(space: .hostEvent, number: description.number, bytes: description.bytes), in: transaction)
            }
        }
    }
}
