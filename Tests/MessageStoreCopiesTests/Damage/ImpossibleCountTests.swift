import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Counters of the views are exact: a row that makes one leave its range is an error, not a number that looks right.
@Suite("I5, I10: counters that cannot be right")
struct ImpossibleCountTests {
    /// A counter in a row, as Format.md lays it out, and an event that changes it.
    struct Counter: CustomTestStringConvertible {
        let table: String
        let offset: Int
        let value: [UInt8]
        let event: Event

        var testDescription: String { "\(table) at \(offset): \(value)" }
    }

    private static let zero = [UInt8](repeating: 0, count: 8)
    private static let most = [UInt8](repeating: 0xFF, count: 8)
    private static let package = Event(
        OfflinePackageReceived(index: 1, messageCount: 1, hasMore: false), origin: .offline)
    private static let unknown = Event(any: UnknownEvent(type: EventType(rawValue: 0x7777)))

    static let counters = [
        Counter(table: "unread", offset: 2, value: Array(zero.prefix(4)), event: recalled("a")),
        Counter(table: "unread", offset: 2, value: Array(most.prefix(4)), event: received("new", at: 9)),
        Counter(table: "unread", offset: 6, value: Array(zero.prefix(4)), event: recalled("a")),
        Counter(table: "unreadTotals", offset: 0, value: zero, event: read()),
        Counter(table: "unreadTotals", offset: 0, value: most, event: received("new", at: 9)),
        Counter(table: "unreadTotals", offset: 8, value: zero, event: read()),
        Counter(table: "unreadTotals", offset: 16, value: zero, event: read()),
        Counter(table: "unreadTotals", offset: 24, value: most, event: markedUnread(in: .group("empty"))),
        Counter(
            table: "memberLists", offset: 0, value: Array(zero.prefix(4)),
            event: Event(MembersRemoved(["bob"], kind: .left), in: group)),
        Counter(
            table: "memberLists", offset: 0, value: Array(most.prefix(4)),
            event: Event(MembersAdded(["eve"], kind: .joined), in: group)),
        Counter(table: "syncState", offset: 1, value: Array(most.prefix(4)), event: package),
        Counter(table: "syncState", offset: 5, value: most, event: package),
        Counter(
            table: "syncState", offset: 29, value: most,
            event: Event(OfflineSyncCompleted(), origin: .offline)),
        Counter(table: "unknownEvents", offset: 0, value: most, event: unknown),
    ]

    private func filled() throws -> TemporaryStore {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(
                created(members: ["me", "bob"]), received("a", at: 1, mentions: ["me"]), received("b", at: 2),
                Self.package, Self.unknown)
        }
        return place
    }

    /// Overwrites a part of every row of a table, and answers what an error calls these rows.
    private func plant(
        _ value: [UInt8], at offset: Int, inTable table: String, _ place: TemporaryStore
    ) throws -> [String] {
        let keys = try place.replaceRows(ofTable: table) { row in
            var row = row
            row.value.replaceSubrange(offset..<offset + value.count, with: value)
            return row
        }
        return keys.map { "row \(hexadecimal($0)) of the view table \(table) " }
    }

    @Test("an event that would take a counter out of its range names table and row", arguments: counters)
    func folds(counter: Counter) throws {
        let place = try filled()
        let names = try plant(counter.value, at: counter.offset, inTable: counter.table, place)
        try place.withStore { store throws in
            let error = storeError {
                try store.record([counter.event])
                _ = try store.read { $0.position }
            }
            #expect(error?.code == .viewsDamaged, "\(String(describing: error))")
            #expect(names.contains { error?.message.contains($0) == true }, "\(String(describing: error))")
            try store.rebuild()
            try store.record([counter.event])
            #expect(try store.isConsistent())
        }
    }

    @Test("a count that no number of the interface can hold is an error when it is read")
    func queries() throws {
        let place = try filled()
        _ = try plant(Self.most, at: 0, inTable: "unreadTotals", place)
        _ = try plant(Self.most, at: 5, inTable: "syncState", place)
        _ = try plant(Self.most, at: 0, inTable: "unknownEvents", place)
        try place.withStore { store throws in
            expectError(.viewsDamaged) { _ = try store.totals() }
            expectError(.viewsDamaged) { try store.read { _ = try $0.syncProgress() } }
            expectError(.viewsDamaged) { try store.read { _ = try ViewDiagnostics.unknownEventCounts(in: $0) } }
            try store.rebuild()
            #expect(try store.totals().messages == 2)
        }
    }

    @Test("a server may report whatever its number can hold, and what comes above it is added", .store)
    func largestReport() throws {
        let report = UnreadCountReported(.max, mentions: .max, upTo: order(5), at: ms(5))
        try store.record([
            Event(report, in: group), received("a", at: 6, mentions: ["me"]),
            received("b", at: 7, mentions: ["me"]), received("c", at: 8, in: peer),
        ])
        #expect(try store.unread().messages == Int(UInt32.max) + 2)
        #expect(try store.unread().mentions == Int(UInt32.max) + 2)
        #expect(try store.totals().messages == Int(UInt32.max) + 3)
        #expect(try store.totals().badge == Int(UInt32.max) + 3)
        try store.record([read()])
        #expect(try store.totals().messages == 1)
    }
}
