import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreProjections
import Testing
@testable import MessageStoreTestSupport

@Suite("I3, I10: views that are dropped when a store is opened")
struct DroppedViewsTests {
    /// Changes the first row of a table as a lost bit does that no page tells of.
    enum Change: CaseIterable { case value, missing, added }

    private func change(_ change: Change, _ table: ViewTable, of place: TemporaryStore) throws {
        try place.changeViews(table: table.name) { transaction, stored throws in
            var cursor = try transaction.cursor(in: stored)
            try #require(try cursor.move(.next))
            let key = cursor.key.withUnsafeBytes { [UInt8]($0) }
            var value = cursor.storedValue.withUnsafeBytes { [UInt8]($0) }
            if change == .value, !value.isEmpty {
                value[value.count - 1] ^= 1
                try transaction.put(value.span.bytes, for: key.span.bytes, in: stored)
            } else if change == .added {
                try transaction.put(value.span.bytes, for: (key + [0]).span.bytes, in: stored)
            } else {
                try transaction.remove(key.span.bytes, in: stored)
            }
        }
    }

    @Test(
        "with pageCheck always a changed row of any table drops the views; readers answer from the log",
        arguments: stride(from: 0, to: ViewTable.builtIn.count, by: TestSize.of(plain: 8, full: 1)).map {
            ViewTable.builtIn[$0]
        })
    func recounted(table: ViewTable) throws {
        let place = try TableRows.filled()
        let digests = try place.withStore { try $0.digests() }
        for change in Change.allCases { try expectDropped(change, table, of: place, digests) }
        try expectNoLines(place)
    }

    private func expectDropped(
        _ change: Change, _ table: ViewTable, of place: TemporaryStore, _ digests: [ProjectionID: UInt64]
    ) throws {
        try self.change(change, table, of: place)
        let lines = LoggedLines()
        let reader = try place.openReadOnly { ($0.durability.pageCheck, $0.logger) = (.always, lines.logger) }
        for _ in 0..<2 { #expect(try reader.digests() == digests) }
        try reader.close()
        #expect(lines.all.map(\.message) == ["the views on disk are not used"])
        let store = try place.open { ($0.durability.pageCheck, $0.logger) = (.always, lines.logger) }
        #expect(try store.digests() == digests)
        #expect(try store.isConsistent())
        try store.close()
        #expect(lines.all.map(\.message).dropFirst() == ["the views are made anew"])
        for line in lines.all {
            #expect(line.metadata["reason"]?.contains("table \(table.name) ") == true, "\(change)")
        }
    }

    /// Whole views are used, and nothing is said.
    private func expectNoLines(_ place: TemporaryStore) throws {
        let lines = LoggedLines()
        try place.openReadOnly { ($0.durability.pageCheck, $0.logger) = (.always, lines.logger) }.close()
        try place.open { ($0.durability.pageCheck, $0.logger) = (.always, lines.logger) }.close()
        #expect(lines.all.isEmpty, "\(lines.all)")
    }

    /// A reason for which views on disk are of no use, and a word of what is said of it.
    struct Reason: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let word: String
        let make: @Sendable (TemporaryStore) throws -> Void

        init(_ name: String, says word: String, _ make: @escaping @Sendable (TemporaryStore) throws -> Void) {
            (testDescription, self.word, self.make) = (name, word, make)
        }
    }

    static let reasons = [
        Reason("no directory", says: "no directory") { place in
            try FileManager.default.removeItem(atPath: place.path + "/views")
            try Data("x".utf8).write(to: URL(fileURLWithPath: place.path + "/views"))
        },
        Reason("no data file", says: "no directory with a data file") { place in
            try FileManager.default.removeItem(atPath: place.path + "/views/data.mdb")
        },
        Reason("a damaged page", says: "data.mdb") { place in
            var file = try DataFile(place.path + "/views/data.mdb")
            for page in 2..<file.pageCount { file.zero(page: page) }
            try file.write()
        },
        Reason("no checkpoint", says: "checkpoint is missing") { place in
            try place.changeViews(table: "meta") { transaction, meta throws in
                try transaction.remove(Array("checkpoint".utf8).span.bytes, in: meta)
            }
        },
        Reason("another store's", says: TemporaryStore.key == nil ? "another store" : "the key is not") { place in
            let other = try TemporaryStore()
            try other.withStore { try $0.record([received("a", at: 1)]) }
            try FileManager.default.removeItem(atPath: place.path + "/views")
            try FileManager.default.copyItem(atPath: other.path + "/views", toPath: place.path + "/views")
        },
        Reason("of other versions", says: "other versions") { place in
            try place.replaceRows(ofTable: "meta") { row in
                var row = row
                guard row.key == Array("checkpoint".utf8) else { return row }
                for id in ProjectionCatalog.builtIn.ids {
                    let name = [UInt8(id.rawValue.utf8.count)] + Array(id.rawValue.utf8)
                    guard let place = row.value.indices.first(where: { row.value[$0...].starts(with: name) }) else {
                        continue
                    }
                    row.value[place + name.count] ^= 0x80
                }
                return row
            }
        },
        Reason("a tail that cannot be folded", says: "view table unread ") { place in
            let copy = place.directory + "/copy"
            try place.withStore { store throws in
                try store.record([received("tail", at: 200)])
                try FileManager.default.copyItem(atPath: place.path, toPath: copy)
            }
            try FileManager.default.removeItem(atPath: place.path)
            try FileManager.default.moveItem(atPath: copy, toPath: place.path)
            try place.replaceRows(ofTable: "unread") { StoredRow(key: $0.key, value: [1]) }
        },
    ]

    @Test("each reason is a warning that names it, without words of messages", arguments: reasons)
    func warned(reason: Reason) throws {
        let place = try TableRows.filled()
        try reason.make(place)
        let lines = LoggedLines()
        let store = try place.open { $0.logger = lines.logger }
        #expect(try store.isConsistent())
        try store.close()
        try #require(lines.all.map(\.message) == ["the views are made anew"])
        let said = lines.all[0].metadata["reason"] ?? ""
        #expect(said.contains(reason.word), "\(said)")
        #expect(lines.all[0].metadata["path"] == place.path + "/views")
        try expectNoLines(place)
    }

    @Test("views that were removed, or never made, are nothing to warn of")
    func missing() throws {
        let place = try TableRows.filled()
        try FileManager.default.removeItem(atPath: place.path + "/views")
        try expectNoLines(place)
    }

    @Test("a damaged log is reported and left alone, by writers and readers, with views and without")
    func damagedLog() throws {
        let place = try TableRows.filled()
        var file = try DataFile(place.path + "/log/data.mdb")
        file.zero(page: try #require(file.pages(of: "records").leaves.first))
        try file.write()
        for _ in 0..<2 {
            expectError(.logDamaged) { _ = try place.open { $0.durability.pageCheck = .always } }
            expectError(.logDamaged) { _ = try place.openReadOnly { $0.durability.pageCheck = .always } }
            #expect(try DataFile(place.path + "/log/data.mdb").bytes == file.bytes)
            try? FileManager.default.removeItem(atPath: place.path + "/views")
        }
    }
}
