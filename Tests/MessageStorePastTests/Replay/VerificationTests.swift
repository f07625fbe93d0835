import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("I3: planted differences")
struct VerificationTests {
    private func filled() throws -> TemporaryStore {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record([received("a", at: 1), received("b", at: 2), profiles([("bob", "B")])])
        }
        return place
    }

    private let key: [UInt8] = [0, 0, 0, 1]
    private let wrong: [UInt8] = [2, 0, 9] + [UInt8](repeating: 0, count: 37)

    @Test("a changed row is named with table, key and both values; rebuilding repairs it", arguments: [false, true])
    func changedRow(isOneProjection: Bool) throws {
        let place = try filled()
        try place.changeViews(table: "unread") { transaction, table throws in
            try transaction.put(wrong.span.bytes, for: key.span.bytes, in: table)
        }
        try place.withStore { store throws in
            #expect(try store.unread().messages == 9, "the views are served as they are")
            let report = try store.verify()
            #expect(!report.isConsistent)
            #expect(report.differenceCount == 1)
            let difference = try #require(report.differences.first)
            #expect(difference.projection.rawValue == "UnreadCounters" && difference.table == "unread")
            #expect(difference.key == "00000001")
            #expect(difference.first == "020009" + String(repeating: "00", count: 37))
            #expect(difference.second == "020002" + String(repeating: "00", count: 37))
            #expect(difference.keyParts?.map { "\($0.name)=\($0.value)" } == ["conversation=\(group)"])
            #expect(
                difference.parts?.map { "\($0.name): \($0.first ?? "-") \($0.second ?? "-")" } == ["count: 9 2"])
            let projection = ProjectionID.unreadCounters
            try store.rebuild(isOneProjection ? [projection] : nil)
            #expect(try store.isConsistent())
            #expect(try store.unread().messages == 2)
        }
        try place.withStore { store throws in #expect(try store.isConsistent()) }
    }

    @Test("a missing and an extra row are named with the value of the side that has them")
    func missingAndExtra() throws {
        let place = try filled()
        let extra: [UInt8] = [0, 0, 0, 77]
        try place.changeViews(table: "unread") { transaction, table throws in
            try transaction.remove(key.span.bytes, in: table)
            try transaction.put(wrong.span.bytes, for: extra.span.bytes, in: table)
        }
        try place.withStore { store throws in
            let report = try store.verify()
            #expect(report.differenceCount == 2)
            #expect(report.differences.map { $0.first == nil } == [true, false])
            #expect(report.differences.map { $0.second == nil } == [false, true])
            let parts = try #require(report.differences.last?.parts)
            #expect(
                parts.map(\.name) == [
                    "kind", "flags", "count", "mentions", "everyoneMentions", "mutedUntil", "readUpTo", "readAt",
                    "aheadReadUpTo",
                ])
            #expect(parts.allSatisfy { $0.first != nil && $0.second == nil })
            #expect(try store.verify(limit: 1).differences.count == 1)
            #expect(try store.verify(limit: 1).differenceCount == 2)
        }
    }

    @Test("I10: a row that cannot be read is an error that says to rebuild, and rebuilding repairs it")
    func unreadableRow() throws {
        let place = try filled()
        try place.changeViews(table: "unread") { transaction, table throws in
            let short: [UInt8] = [1]
            try transaction.put(short.span.bytes, for: key.span.bytes, in: table)
        }
        try place.withStore { store throws in
            expectError(.viewsDamaged) { _ = try store.unread() }
            try store.rebuild()
            #expect(try store.unread().messages == 2)
        }
    }

    @Test("I10: a damaged record is reported with its position and is never a wrong answer")
    func damagedRecord() throws {
        let place = try filled()
        try damageRecord(2, of: place)
        try place.withStore { store throws in
            expectError(.recordDamaged) { _ = try store.verify() }
            expectError(.recordDamaged) { _ = try store.events() }
            expectError(.recordDamaged) { _ = try store.texts() }
            expectError(.recordDamaged) { try store.rebuild() }
            #expect(try store.events(to: Position(1)).count == 1)
            #expect(try store.unread().messages == 2, "views that do not need the record are served")
            let error = #expect(throws: StoreError.self) { try store.digests(at: Position(3)) }
            #expect(error?.code == .recordDamaged && error?.position == Position(2))
        }
    }

    private func damageRecord(_ number: UInt8, of place: TemporaryStore) throws {
        let environment = try place.environment("log")
        let records = try environment.openTables(["records"], create: false)[0]
        let position: [UInt8] = [0, 0, 0, 0, 0, 0, 0, number]
        try environment.write { transaction throws in
            var bytes = try transaction.value(for: position.span.bytes, in: records)?.withUnsafeBytes { [UInt8]($0) }
            bytes?[40] ^= 1
            guard let bytes else { return }
            try transaction.put(bytes.span.bytes, for: position.span.bytes, in: records)
        }
    }
}
