import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I3, I10: stores whose views are damaged")
struct DamagedViewsTests {
    /// Copies a store as a killed process leaves it: its views end before its log does.
    private func killed(_ store: MessageStore, at place: TemporaryStore) throws -> TemporaryStore {
        let copy = try TemporaryStore()
        try FileManager.default.copyItem(atPath: place.path, toPath: copy.path)
        try store.close()
        return copy
    }

    @Test("a tail that cannot be folded over damaged views is folded with the whole log when the store is opened")
    func damagedTail() throws {
        let place = try TemporaryStore()
        try place.withStore { try $0.record([received("a", at: 1), received("b", at: 2)]) }
        let store = try place.open()
        try store.record([received("c", at: 3)])
        let digests = try store.digests()
        let copy = try killed(store, at: place)
        try copy.replaceRows(ofTable: "unread") { StoredRow(key: $0.key, value: [1]) }
        expectError(.viewsDamaged) { _ = try copy.openReadOnly() }
        try copy.withStore { store throws in
            #expect(try store.digests() == digests)
            #expect(try store.unread().messages == 3)
            #expect(try store.isConsistent())
        }
        let reader = try copy.openReadOnly()
        #expect(try reader.unread().messages == 3)
        try reader.close()
    }

    @Test("a fold that fails leaves the log as it is and keeps what is recorded", arguments: [false, true])
    func recordedMeanwhile(reopens: Bool) throws {
        let place = try TemporaryStore()
        try place.withStore { try $0.record([received("a", at: 1)]) }
        try place.replaceRows(ofTable: "unread") { StoredRow(key: $0.key, value: [1]) }
        let store = try place.open()
        try store.record([received("b", at: 2)])
        expectError(.viewsDamaged) { _ = try store.unread() }
        #expect(try store.events().count == 2)
        if reopens {
            expectError(.viewsDamaged) { try store.close() }
            try place.withStore { store throws in #expect(try store.unread().messages == 2) }
        } else {
            try store.rebuild()
            #expect(try store.unread().messages == 2)
            try store.close()
        }
        try place.withStore { store throws in #expect(try store.isConsistent()) }
    }

    /// Where rows hold the position of a record, as Format.md lays them out, and who follows it.
    struct Reference: CustomTestStringConvertible, Sendable {
        let table: String
        let offset: Int
        let query: @Sendable (borrowing Views) throws -> Void

        var testDescription: String { "\(table) at \(offset)" }
    }

    static let references = [
        Reference(table: "timeline", offset: 0) { _ = try $0.timeline(of: group) },
        Reference(table: "conversations", offset: 15) { _ = try $0.conversations() },
        Reference(table: "conversations", offset: 23) { _ = try $0.conversations() },
        Reference(table: "messageStates", offset: 16) { _ = try $0.timeline(of: group) },
        Reference(table: "messageStates", offset: 71) { _ = try $0.timeline(of: group) },
        Reference(table: "syncState", offset: 37) { _ = try $0.session() },
    ]

    @Test("I10: a row that names a record which is not there is an error, not a shorter answer", arguments: references)
    func danglingRow(reference: Reference) throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(received("a", at: 1), modified("a", "edited", at: 2))
            try store.record([Event(AttachmentStateChanged(.server("a"), state: .uploaded), in: group)])
            try store.record([Event(SessionStateChanged(.connected))])
            try store.read(reference.query)
        }
        try place.replaceRows(ofTable: reference.table) { row in
            var row = row
            row.value.replaceSubrange(reference.offset..<reference.offset + 8, with: [0x7F, 0, 0, 0, 0, 0, 0, 0])
            return row
        }
        try place.withStore { store throws in
            let error = storeError { try store.read(reference.query) }
            #expect(error?.code == .viewsDamaged && error?.position == Position(0x7F), "\(String(describing: error))")
            #expect(error?.message.contains("view table \(reference.table) ") == true)
            try store.rebuild()
            try store.read(reference.query)
        }
    }

    @Test("a store open for reading goes on without views that are removed under it")
    func removedUnderReader() throws {
        let place = try TemporaryStore()
        try place.withStore { try $0.record([received("a", at: 1), received("b", at: 2)]) }
        let reader = try place.openReadOnly()
        #expect(try reader.unread().messages == 2)
        try FileManager.default.removeItem(atPath: place.path + "/views")
        #expect(try reader.unread().messages == 2)
        #expect(try reader.texts() == ["a", "b"])
        try reader.close()
    }
}
