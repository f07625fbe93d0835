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
    ///   - names: Names of a log, which notes other stores among them: number 1 is the store itself.
    ///   - storeID: The store that the log belongs to.
    init(names: [PendingSymbols.Entry], storeID: [UInt8]) throws {
        let ancestors = try names.filter { $0.space == .store && $0.number > 1 }.map { try Part($0.bytes) }
        parts = ancestors + [Part(store: storeID.span.bytes.hexadecimal, last: nil)]
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
        try LogLineage(names: symbols.names(of: .store), storeID: storeID)
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
}

extension LogTables {
    /// Notes to which store the log belongs, and which stores recorded it up to a position.
    func note(
        storeID: [UInt8], after lineage: LogLineage, last: Position, in transaction: borrowing WriteTransaction
    ) throws {
        var number: UInt32 = 1
        for row in [storeID] + lineage.ancestors(upTo: last) {
            try write(.init(space: .store, number: number, bytes: row), in: transaction)
            number += 1
        }
        // The log that was copied may have had more.
        while try transaction.remove(SymbolTable.key(.store, number).span.bytes, in: names) { number += 1 }
    }
}
