internal import MessageStoreLMDB

/// Whose log it is: what the log itself says, to be compared with the file next to it that says so too.
package struct LogOwner: Sendable, Equatable {
    /// The store's account.
    package let account: UserID
    /// The store's id; nil in a log that no version which notes it has opened for writing yet.
    package let storeID: [UInt8]?
}

extension EventLog {
    /// Whether nobody else can have opened the log for writing.
    struct Ownership {
        var isOwner: @Sendable () -> Bool = { true }
    }

    /// Whose log it is.
    ///
    /// - Throws: ``StoreError`` with code `logDamaged`.
    package func owner() throws -> LogOwner {
        try symbols.read { transaction, tables in
            let account = try symbols.storedName(.user, 1, in: transaction, tables)
            let key = SymbolTable.key(.store, 1)
            let isNoted = try transaction.value(for: key.span.bytes, in: tables.names) != nil
            return LogOwner(
                account: UserID(String(decoding: account, as: UTF8.self)),
                storeID: isNoted ? try symbols.storedName(.store, 1, in: transaction, tables) : nil)
        }
    }

    /// Notes the store's id in a log that an earlier version made.
    package func note(storeID: [UInt8]) throws {
        let tables = storage.tables
        try tables.environment.write { transaction in
            try tables.writeName(.init(space: .store, number: 1, bytes: storeID), in: transaction)
        }
    }
}
