import MessageStore
import MessageStoreProjections
import Testing
@testable import MessageStoreTestSupport

/// Views are a file without checksums, so any row of them may hold anything. There is one policy for bytes that make no
/// row: the error `viewsDamaged` with table and key, from every query and every fold that needs the row.
@Suite("I10: unreadable rows of the views")
struct UnreadableRowTests {
    /// Cuts every row of a table to half its value, or, where the key says all, by the end of its key.
    private func cutRows(of table: ViewTable, in place: TemporaryStore) throws -> [[UInt8]] {
        try place.replaceRows(ofTable: table.name) { row in
            row.value.isEmpty
                ? StoredRow(key: row.key.dropLast(2), value: [])
                : StoredRow(key: row.key, value: Array(row.value.prefix(row.value.count / 2)))
        }
    }

    @Test("every table has a row that the tests below cut")
    func everyTable() throws {
        let place = try TableRows.filled()
        for table in ViewTable.builtIn {
            var count = 0
            try place.replaceRows(ofTable: table.name) { row in
                count += 1
                return row
            }
            #expect(count > 0, "\(table)")
        }
        try place.withStore { store throws in #expect(try store.isConsistent()) }
    }

    @Test("a query that needs a cut row names table and key; rebuilding repairs it", arguments: ViewTable.builtIn)
    func queries(table: ViewTable) throws {
        guard let query = TableRows.query(table) else { return }
        let place = try TableRows.filled()
        try place.withStore { try $0.read(query) }
        let keys = try cutRows(of: table, in: place)
        try place.withStore { store throws in
            expectDamage(storeError { try store.read(query) }, of: table, at: keys)
            try store.rebuild()
            try store.read(query)
            #expect(try store.isConsistent())
        }
    }

    @Test("a fold that needs a cut row names table and key; rebuilding repairs it", arguments: ViewTable.builtIn)
    func folds(table: ViewTable) throws {
        guard let event = TableRows.event(table) else { return }
        let place = try TableRows.filled()
        let keys = try cutRows(of: table, in: place)
        // Deleted messages are looked at for repeats alone.
        let store = try place.open { $0.sync.duplicateSuppression.inConversations = table == .named("deletedMessages") }
        let error = storeError {
            try store.record([event])
            _ = try store.read { $0.position }
        }
        expectDamage(error, of: table, at: keys)
        try store.rebuild()
        try store.record([event])
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("any bytes are a row where the row is a value of the host's", arguments: ViewTable.builtIn)
    func anyBytes(table: ViewTable) throws {
        guard TableRows.query(table) == nil, TableRows.event(table) == nil else { return }
        let place = try TableRows.filled()
        _ = try cutRows(of: table, in: place)
        try place.withStore { store throws in
            let (entries, cursor) = try store.read { views in
                (try views.chatRoomEntries(in: TableRows.room), try views.syncCursor("c"))
            }
            #expect(table == .named("chatRoomEntries") ? entries == ["k": "va"] : cursor == [1, 2])
            #expect(try !store.isConsistent(), "a replay shows what was changed")
        }
    }

    private func expectDamage(
        _ error: StoreError?, of table: ViewTable, at keys: [[UInt8]], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == .viewsDamaged, "\(String(describing: error))", sourceLocation: sourceLocation)
        let message = error?.message ?? ""
        #expect(
            keys.contains { message.contains("row \(hexadecimal($0)) of the view table \(table.name) ") },
            "\(message)", sourceLocation: sourceLocation)
    }
}
