import Foundation
import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("I15: views that have lost which events are known", .timeLimit(.minutes(30)))
struct DamagedIdentitiesTests {
    private static func messages(_ range: Range<Int>) -> [Event] {
        range.map { received(ServerMessageID("m\($0)"), at: Int64($0)) }
    }

    /// What is changed in the views, where nothing tells that the files were changed.
    enum Damage: CaseIterable {
        case changedKey, lostRow, changedPosition

        func apply(to place: TemporaryStore, table: String = "identities") throws {
            try place.changeViews(table: table) { transaction, table throws in
                var row = StoredRow(key: [], value: [])
                do {
                    var cursor = try transaction.cursor(in: table)
                    _ = try cursor.move(.next)
                    row.key = cursor.key.withUnsafeBytes { [UInt8]($0) }
                    row.value = cursor.storedValue.withUnsafeBytes { [UInt8]($0) }
                }
                if self != .changedPosition { try transaction.remove(row.key.span.bytes, in: table) }
                if self == .lostRow { return }
                if self == .changedKey { row.key[11] ^= 1 } else { row.value[7] ^= 1 }
                try transaction.put(row.value.span.bytes, for: row.key.span.bytes, in: table)
            }
        }
    }

    @Test(
        "I15: the pass over them finds it, and no event that comes after that is recorded again",
        arguments: Damage.allCases)
    func foundByThePass(damage: Damage) async throws {
        let place = try TemporaryStore()
        try place.withStore { try $0.record(Self.messages(0..<500)) }
        try damage.apply(to: place)
        let store = try place.open()
        #expect(try await store.verify().isConsistent == false)
        let rewrites = store.rewrites
        try await store.record(Self.messages(500..<3000))
        await store.wait { store.rewrites > rewrites }
        #expect(try await store.verify().isConsistent)
        let again = try await store.record(Self.messages(0..<3000))
        #expect(again.duplicates == 3000)
        #expect(try store.lastPosition() == Position(3000))
        try await store.close()
    }

    @Test(
        "I15: where the files are not as they were left, it is found before the first append",
        arguments: Damage.allCases)
    func foundByOpening(damage: Damage) throws {
        let place = try TemporaryStore()
        try place.withStore { try $0.record(Self.messages(0..<500)) }
        try damage.apply(to: place)
        // As if something else had written the file: the mark beside it tells of another one.
        try FileManager.default.removeItem(atPath: place.path + "/views/data.mark")
        try place.withStore { store throws in
            #expect(try store.record(Self.messages(0..<500)).duplicates == 500)
            #expect(try store.lastPosition() == Position(500))
            #expect(try store.isConsistent())
        }
    }

    @Test("I15: an acknowledgement that the views have lost is noticed as well", arguments: [false, true])
    func lostAcknowledgement(isNoticed: Bool) async throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(queued("mine", token: "t"))
            try store.record(sent(LocalMessageID(1), "s", at: 1))
        }
        try Damage.lostRow.apply(to: place, table: "messageStates")
        if isNoticed { try FileManager.default.removeItem(atPath: place.path + "/views/data.mark") }
        let store = try place.open()
        if !isNoticed {
            let rewrites = store.rewrites
            try await store.record(Self.messages(0..<2500))
            await store.wait { store.rewrites > rewrites }
            #expect(try await store.verify().isConsistent)
        }
        let last = try store.lastPosition()
        try await store.record(received("s", at: 1, from: "me", token: "t"))
        #expect(try store.lastPosition() == last)
        try await store.close()
    }
}
