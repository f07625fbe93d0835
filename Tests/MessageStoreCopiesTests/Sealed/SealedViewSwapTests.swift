import Foundation
import MessageStore
import MessageStoreSearch
import Testing

@testable import MessageStoreTestSupport

@Suite(
    "Sealed views and indexes with bytes of others, moved bytes and changed bits",
    .enabled(if: TemporaryStore.canSeal), .serialized, .timeLimit(.minutes(30)))
struct SealedViewSwapTests {
    private let twins: SealedTwins

    init() throws { twins = try SealedTwins() }

    /// Some places of a table; more in full size.
    private static func places(_ count: Int, _ random: inout SplitMix64) -> [Int] {
        Array((0..<count).shuffled(using: &random).prefix(TestSize.of(plain: 1, full: 5)))
    }

    /// Expects that a store answers every question as its events say.
    private static func expectAnswers(_ store: MessageStore, _ what: String) throws {
        for question in TwinQuestion.all {
            let isRight = try question.isAnswered(by: store)
            #expect(isRight, "\(what): \(question.name)")
        }
    }

    @Test("two stores with the same key and events answer the same, and share no sealed value and no hidden key")
    func twinsAreDifferent() throws {
        let store = try twins.open()
        try Self.expectAnswers(store, "unchanged")
        try store.close()
        for (environment, table) in try sealedTables() {
            let rows = try twins.rows(environment, table)
            #expect(environment != "views" || rows.own.count == rows.other.count, "\(table)")
            let shared = Set(rows.own.map(\.value)).intersection(rows.other.map(\.value))
            #expect(shared.isEmpty, "\(table)")
            let form = environment == "views" ? TableForm.ofViews(table) : TableForm.lagging[table]
            let keys = [rows.own, rows.other].map { rows in
                Set(rows.compactMap { form?.hiddenParts(of: $0)?.key }.filter { !$0.isEmpty })
            }
            #expect(keys[0].isDisjoint(with: keys[1]), "\(table)")
        }
    }

    /// The sealed tables of the views and of the index, which have rows; the host's errors have none.
    private func sealedTables() throws -> [(environment: String, table: String)] {
        func isSealed(_ form: TableForm?) -> Bool { if case .sealed = form { true } else { false } }
        let views = try twins.tables(of: "views").filter { isSealed(TableForm.ofViews($0)) }
        let index = try twins.tables(of: SealedTwins.index).filter { isSealed(TableForm.lagging[$0]) }
        return views.filter { !$0.hasSuffix("/failed-events") }.map { ("views", $0) }
            + index.map { (SealedTwins.index, $0) }
    }

    @Test(
        "a row that is exchanged, moved or changed by a bit is never answered, and a rebuild or a look at all rows cures it"
    )
    func rows() throws {
        var random = SplitMix64(seed: 11)
        for (place, (environment, table)) in try sealedTables().enumerated() {
            let rows = try twins.rows(environment, table)
            #expect(!rows.own.isEmpty && !rows.other.isEmpty, "\(table)")
            for index in Self.places(rows.own.count, &random) {
                for (number, change) in RowChange.allCases.enumerated() {
                    guard let row = change.row(at: index, of: rows, &random) else { continue }
                    let what = "\(change), row \(index) of \(environment)/\(table)"
                    // Each table by one change in each way, or by all in full size.
                    if TestSize.isFull || (place + number) % 3 == 0 {
                        try twins.put(row, in: rows)
                        if environment == "views" { try expectRebuilt(what) } else { try expectFoundAgain(what) }
                        try twins.reset()
                    }
                    if TestSize.isFull || (place + number) % 3 == 1 {
                        try twins.put(row, in: rows)
                        try expectMadeAgain(what)
                        try twins.reset()
                    }
                }
            }
        }
    }

    /// Opens the store as usual: each question is answered or throws, and all are answered after a rebuild.
    private func expectRebuilt(_ what: String) throws {
        let store = try twins.open()
        for question in TwinQuestion.all {
            do {
                let isRight = try question.isAnswered(by: store)
                #expect(isRight, "\(what): \(question.name)")
            } catch let error as StoreError {
                #expect(error.code == .viewsDamaged, "\(what): \(question.name)")
            }
        }
        try store.rebuild()
        try Self.expectAnswers(store, what)
        #expect(try store.verify().isConsistent, "\(what)")
        try store.close()
    }

    /// Opens a store whose index is changed: a search reads the messages instead, and the index is made again.
    private func expectFoundAgain(_ what: String) throws {
        let store = try twins.open()
        try Self.expectAnswers(store, what)
        try store.catchUp(SearchIndex.id)
        try Self.expectAnswers(store, what)
        try store.close()
    }

    /// Opens the store with a look at all rows: the views are made again at once.
    private func expectMadeAgain(_ what: String) throws {
        let store = try twins.open(.always)
        try Self.expectAnswers(store, what)
        #expect(try store.verify().isConsistent, "\(what)")
        try store.close()
    }

    @Test("a row of the other store with its hidden key, in the place of one, is found by a look at all rows")
    func hiddenKeys() throws {
        var random = SplitMix64(seed: 12)
        for (environment, table) in try sealedTables() {
            let form = environment == "views" ? TableForm.ofViews(table) : TableForm.lagging[table]
            let rows = try twins.rows(environment, table)
            let places = rows.own.indices.filter { form?.hiddenParts(of: rows.own[$0])?.key.isEmpty == false }
            for place in Self.places(places.count, &random) {
                let own = rows.own[places[place]]
                // One that begins as the other, if its key has a clear beginning.
                let beginning = own.key.dropLast(TableForm.hashSize)
                guard let other = rows.other.first(where: { $0.key.dropLast(TableForm.hashSize) == beginning }) else {
                    continue
                }
                try twins.remove(own, from: rows)
                try twins.put(other, in: rows)
                try expectMadeAgain("a foreign key in \(environment)/\(table)")
                try twins.reset()
            }
        }
    }

    @Test("random bytes of an opening that are exchanged or changed make the views and the index again")
    func openings() throws {
        var random = SplitMix64(seed: 13)
        for environment in ["views", SealedTwins.index] {
            let rows = try twins.rows(environment, "openings")
            for index in rows.own.indices {
                for change in TestSize.of(plain: [RowChange.other], full: [.other, .bit]) {
                    guard let row = change.row(at: index, of: rows, &random) else { continue }
                    try twins.put(row, in: rows)
                    try expectMadeAgain("\(change), opening \(index) of \(environment)")
                    try twins.reset()
                }
            }
        }
    }

    @Test("the directories of views and index of the other store are made again, also by one that only reads")
    func directories() throws {
        for names in [["views"], ["lagging"], ["views", "lagging"]] {
            for name in names { try twins.exchange(name) }
            let reader = try twins.openReadOnly()
            try Self.expectAnswers(reader, "a reader with other \(names)")
            try reader.close()
            let store = try twins.open()
            try Self.expectAnswers(store, "other \(names)")
            #expect(try store.verify().isConsistent)
            try store.close()
            try twins.reset()
        }
    }

    @Test("data files of a clear store with the same events are refused or made again")
    func clearFiles() throws {
        let clear = try SealedTwins.makeClear()
        try twins.exchange("views/data.mdb", with: clear)
        try expectMadeAgain("clear views")
        try twins.reset()
        try twins.exchange(SealedTwins.index + "/data.mdb", with: clear)
        let store = try twins.open()
        try Self.expectAnswers(store, "a clear index")
        try store.catchUp(SearchIndex.id)
        try store.close()
        try twins.reset()
        try twins.exchange("log/data.mdb", with: clear)
        expectError(.logDamaged) { _ = try twins.open() }
        try twins.reset()
    }

    @Test("the log, the keys or the identity of the other store are refused, and the store is whole without them")
    func otherFiles() throws {
        let keys = keysFile(of: twins.path).dropFirst(twins.path.utf8.count + 1)
        // Where the keys lie with the log, they are those of another store.
        let code: StoreError.Code = keys.hasPrefix("log/") ? .keyRefused : .logDamaged
        for (names, code) in [
            (["log"], code), (["log", "views"], code), ([String(keys)], .keyRefused), (["identity.json"], .keyRefused),
        ] as [([String], StoreError.Code)] {
            for name in names { try twins.exchange(name) }
            expectError(code) { _ = try twins.open() }
            expectError(code) { _ = try twins.openReadOnly() }
            try twins.reset()
        }
        let store = try twins.open()
        try Self.expectAnswers(store, "whole again")
        try store.close()
    }
}
