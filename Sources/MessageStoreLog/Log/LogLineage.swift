internal import MessageStoreLMDB

/// The stores that recorded a log, one after the other: two logs are equal as far as the same stores recorded them.
///
/// A backup has an id of its own, and so has a store that is restored from it: each records the rest of a log that
/// others began.
package struct LogLineage: Codable, Hashable, Sendable {
    /// One of the stores.
    struct Part: Codable, Hashable, Sendable {
        /// Its id, in hexadecimal.
        let store: String
        /// The position up to which it recorded; nil for the store that the log belongs to.
        let last: Position?
    }

    /// The stores in the order in which they recorded.
    let parts: [Part]

    /// - Parameters:
    ///   - ancestors: The log's notes of other stores.
    ///   - storeID: The store that the log belongs to.
    init(ancestors: [[UInt8]], storeID: [UInt8]) throws {
        parts = try ancestors.map(Part.init) + [Part(store: storeID.span.bytes.hexadecimal, last: nil)]
    }

    /// The position up to which other stores recorded the log.
    package var copiedPosition: Position { parts.dropLast().last?.last ?? .origin }

    /// The position up to which another log is equal to this one; nil if they have nothing to do with each other.
    func sharedPosition(with other: LogLineage) -> Position? {
        var shared: Position?
        for (part, otherPart) in zip(parts, other.parts) {
            guard part.store == otherPart.store else { break }
            shared = min(part.last ?? Position(.max), otherPart.last ?? Position(.max))
            guard part.last == otherPart.last else { break }
        }
        return shared
    }

    /// The notes of these stores in a log that has the events up to a position and belongs to another store.
    func ancestors(upTo last: Position) -> [[UInt8]] {
        parts.map { part in
            withUnsafeBytes(of: (part.last ?? last).rawValue.littleEndian) { [UInt8]($0) }
                + ([UInt8](hexadecimal: part.store) ?? [])
        }
    }
}

extension LogLineage.Part {
    private static let rowSize = 24

    init(_ row: [UInt8]) throws {
        guard row.count == Self.rowSize, let last = row.span.bytes.load(at: 0, as: UInt64.self) else {
            throw StoreError(.logDamaged, "what the log notes of the stores before cannot be read")
        }
        self.init(store: row.span.bytes.extracting(8..<Self.rowSize).hexadecimal, last: Position(last))
    }
}

extension EventLog {
    /// The stores that recorded the log.
    ///
    /// - Parameter storeID: The one that it belongs to.
    /// - Throws: ``StoreError`` with code `logDamaged`.
    package func lineage(storeID: [UInt8]) throws -> LogLineage {
        let ancestors = try symbols.read { transaction, tables in
            var rows: [[UInt8]] = []
            while try transaction.value(for: Self.ancestorKey(rows.count).span.bytes, in: tables.names) != nil {
                rows.append(try symbols.storedName(.store, Self.ancestorNumber(rows.count), in: transaction, tables))
            }
            return rows
        }
        return try LogLineage(ancestors: ancestors, storeID: storeID)
    }

    /// Notes that a copied log belongs to a new store from now on.
    ///
    /// - Parameters:
    ///   - lineage: The lineage of the copied log.
    ///   - last: The last position of the copy.
    package func note(storeID: [UInt8], after lineage: LogLineage, last: Position) throws {
        let tables = storage.tables
        try tables.environment.write { try tables.note(storeID: storeID, after: lineage, last: last, in: $0) }
    }

    /// Number 1 is the store itself.
    fileprivate static func ancestorNumber(_ index: Int) -> UInt32 { UInt32(index) + 2 }
    fileprivate static func ancestorKey(_ index: Int) -> [UInt8] { SymbolTable.key(.store, ancestorNumber(index)) }
}

extension LogTables {
    /// Notes to which store the log belongs, and which stores recorded it up to a position.
    func note(
        storeID: [UInt8], after lineage: LogLineage, last: Position, in transaction: borrowing WriteTransaction
    ) throws {
        try writeName(.init(space: .store, number: 1, bytes: storeID), in: transaction)
        let rows = lineage.ancestors(upTo: last)
        for (index, row) in rows.enumerated() {
            try writeName(.init(space: .store, number: EventLog.ancestorNumber(index), bytes: row), in: transaction)
        }
        // The log that was copied may have had more.
        var index = rows.count
        while try transaction.remove(EventLog.ancestorKey(index).span.bytes, in: names) { index += 1 }
    }
}
