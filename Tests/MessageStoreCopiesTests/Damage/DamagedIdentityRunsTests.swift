import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreProjections
import Testing
@testable import MessageStoreTestSupport

@Suite("I3, I10, I15: stores whose identities on disk lie in damaged runs")
struct DamagedIdentityRunsTests {
    private static func events(_ range: Range<Int>) -> [Event] {
        range.map { received(ServerMessageID("m\($0)"), at: Int64($0), token: "t\($0)") }
    }

    /// A closed store with a run.
    private func filled() throws -> TemporaryStore {
        let place = try TemporaryStore()
        let store = try place.open { $0.viewFlushPages = 1 }
        for part in 0..<4 {
            try store.record(Self.events(part * 200..<(part + 1) * 200))
            try store.flush()
        }
        let statistics = try store.statistics()
        #expect(statistics.tables.contains { $0.name == "identityRuns" && $0.entries > 3 })
        try store.close()
        return place
    }

    /// What is wrong with a row.
    enum Damage: CaseIterable {
        case hand, handAtTheEnd, noHand, runBeforeTheHand, runAtTheEnd, keyOfChunk, lengthOfChunk, position, noTable

        func change(_ row: StoredRow) -> StoredRow {
            var row = row
            let isHand = row.key == [UInt8](repeating: 0, count: 8)
            switch (self, row.key.count) {
            case (.hand, 8) where isHand: row.value = [1]
            case (.handAtTheEnd, 8) where isHand: row.value = [UInt8](repeating: 0xFF, count: 16)
            case (.noHand, 8) where isHand: row.key[0] = 0xFE
            case (.runBeforeTheHand, 8) where !isHand: row.value[0] = 1
            case (.runAtTheEnd, 8) where !isHand: row.value = [UInt8](repeating: 0xFF, count: 16)
            case (.keyOfChunk, 20): row.value[row.value.count - 9] ^= 1
            case (.lengthOfChunk, 20): row.value.removeLast()
            case (.position, 20): row.value[row.value.count - 1] ^= 1
            default: break
            }
            return row
        }
    }

    private func apply(_ damage: Damage, to place: TemporaryStore) throws {
        guard damage == .noTable else {
            try place.replaceRows(ofTable: "identityRuns", damage.change)
            return
        }
        // As far as this version can tell, those of one that has no runs.
        var file = try Data(contentsOf: URL(fileURLWithPath: place.path + "/views/data.mdb"))
        let name = Data("identityRuns".utf8)
        while let found = file.range(of: name) { file.replaceSubrange(found, with: Data("identityRunz".utf8)) }
        try file.write(to: URL(fileURLWithPath: place.path + "/views/data.mdb"))
    }

    @Test("the store opens, by itself or recounted, says why, and knows every message", arguments: Damage.allCases)
    func opens(damage: Damage) throws {
        let place = try filled()
        let digests = try place.withStore { try $0.digests() }
        try apply(damage, to: place)
        let lines = LoggedLines()
        let reader = try place.openReadOnly { ($0.durability.pageCheck, $0.logger) = (.always, lines.logger) }
        #expect(try reader.digests() == digests)
        try reader.close()
        #expect(!lines.all.isEmpty)
        let store = try place.open { ($0.durability.pageCheck, $0.logger) = (.always, lines.logger) }
        let last = try store.lastPosition()
        #expect(try store.record(Self.events(0..<800)).known.count == 800)
        #expect(try store.lastPosition() == last)
        #expect(try store.isConsistent())
        try store.close()
        try place.openReadOnly { $0.durability.pageCheck = .always }.close()
    }

    @Test("a rebuild of one projection makes all views anew where runs are damaged", arguments: [Damage.keyOfChunk])
    func rebuilds(damage: Damage) throws {
        let place = try filled()
        try apply(damage, to: place)
        try place.withStore { store throws in
            // Something to flush, for which no message need be looked up.
            try store.record(Event(ProfilesFetched([Profile(id: "a", name: "a")])))
            try store.rebuild([.messages])
            #expect(try store.isConsistent())
            #expect(try store.record(Self.events(0..<800)).known.count == 800)
            try store.flush()
        }
    }
}
