import MessageStore
import MessageStoreProjections
import Testing
@testable import MessageStoreTestSupport

@Suite("Rows that differ, in words")
struct DifferenceWordsTests {
    @Test(
        "keys and rows of every table can be told in words, and words of people are not", arguments: ViewTable.builtIn)
    func missingRows(table: ViewTable) throws {
        let place = try TableRows.filled()
        try place.removeRows(ofTable: table.name)
        try place.withStore { store throws in
            let differences = try store.verify().differences
            #expect(!differences.isEmpty)
            for difference in differences {
                let key = try #require(difference.keyParts)
                let parts = try #require(difference.parts)
                #expect(!key.isEmpty && parts.allSatisfy { $0.first == nil && $0.second != nil })
                for words in key.map(\.value) + parts.compactMap(\.second) {
                    #expect(
                        !["Name", "Bob", "Team", "👍", "value", "edited"].contains { words.contains($0) }, "\(words)")
                    #expect(!words.contains("number "), "a number that names nothing: \(words)")
                }
            }
        }
    }

    @Test("a row that cannot be decoded has no parts, only bytes", arguments: ViewTable.builtIn)
    func unreadableRows(table: ViewTable) throws {
        let place = try TableRows.filled()
        let keys = try place.replaceRows(ofTable: table.name) { StoredRow(key: $0.key, value: $0.value + [0xFF]) }
        try place.withStore { store throws in
            for difference in try store.verify().differences {
                // What ends in bytes or a string takes one more.
                #expect(keys.contains { hexadecimal($0) == difference.key })
                #expect(difference.parts?.count ?? 1 == 1 && difference.first != nil)
            }
        }
    }
}
