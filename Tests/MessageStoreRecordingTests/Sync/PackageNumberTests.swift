import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Packages that are numbered without holes", .timeLimit(.minutes(30)))
struct PackageNumberTests {
    private let started = Event(OfflineSyncStarted(), origin: .offline)
    private let completed = Event(OfflineSyncCompleted(), origin: .offline)
    private static let other = ConversationKey.group("h")

    private func package(_ index: UInt32, _ events: [Event] = []) -> OfflinePackage {
        OfflinePackage(index: index, events: events, hasMore: true)
    }

    private func message(_ id: ServerMessageID, at time: Int64, in conversation: ConversationKey = group) -> Event {
        received(id, at: time, in: conversation, origin: .offline)
    }

    private struct Gap: Hashable {
        let conversation: ConversationKey?
        let before: MessageOrder?
    }

    private func gaps(_ store: MessageStore) throws -> [Gap] {
        try store.events(where: EventFilter(types: [.historyGapFound])).map {
            Gap(conversation: $0.event.conversation, before: ($0.event.payload as? HistoryGapFound)?.before)
        }
    }

    @Test("a jump is only counted where numbers may be left out; repeats and a restart are none", .store)
    func counted() throws {
        func jumps() throws -> Int { try store.read { try $0.syncProgress() }.jumps }
        try store.record(started)
        for (index, expected) in [(5, 0), (6, 0), (8, 1), (8, 1), (7, 1), (9, 1), (1, 1), (3, 1), (12, 2)] {
            try store.ingest(package(UInt32(index), [message("\(index)", at: Int64(index))]))
            #expect(try jumps() == expected, "\(index)")
        }
        try store.record(completed)
        #expect(try jumps() == 2)
        #expect(try gaps(store).isEmpty)
        try store.record(started)
        try store.ingest(package(40))
        #expect(try jumps() == 0, "each sync has its own numbers")
    }

    @Test(
        "D7: a package that never arrives leaves a gap where the sync ends, also early",
        arguments: [
            OfflineSyncCompleted() as any EventPayload, OfflineSyncStarted(), SessionStateChanged(.disconnected),
        ])
    func missing(end: any EventPayload) throws {
        try withTemporaryStore {
            $0.sync.packageNumbers = .withoutHoles
        } _: { store throws in
            try store.record(Event(SessionStateChanged(.connected)), started)
            try store.ingest(package(1, [message("a", at: 1), message("x", at: 2, in: Self.other)]))
            try store.ingest(package(2, [message("b", at: 3)]))
            try store.ingest(package(4, [message("e", at: 9), message("d", at: 8)]))
            try store.ingest(package(5, [message("y", at: 10, in: peer)]))
            #expect(try gaps(store).isEmpty && store.page().isContiguous)
            let result = try store.record([message("f", at: 11), Event(any: end, origin: .offline)])
            #expect(
                try gaps(store) == [
                    Gap(conversation: group, before: order(8, "d")), Gap(conversation: peer, before: order(10, "y")),
                ])
            #expect(result.positions.map(\.?.rawValue) == [13, 16], "right before the end")
            #expect(try store.page().isContiguous == false)
            #expect(try store.page(limit: 3).isContiguous)
            #expect(try !store.page(of: Self.other).hasGapAfter, "nothing of it came later")
            // A second end finds nothing more.
            try store.record(completed)
            #expect(try gaps(store).count == 2)
            #expect(try store.isConsistent())
        }
    }

    @Test("what arrives late, comes again or begins again at a lower number leaves no hole")
    func late() throws {
        try withTemporaryStore {
            $0.sync.packageNumbers = .withoutHoles
        } _: { store throws in
            for indices in [[1, 2, 4, 3, 5], [1, 2, 2, 3], [5, 6, 1, 2], [1, 2, 4, 5, 2, 3, 4, 5, 6]] {
                try store.record(started)
                for index in indices {
                    try store.ingest(package(UInt32(index), [message("\(index)", at: Int64(index))]))
                }
                try store.record(completed)
                #expect(try gaps(store).isEmpty, "\(indices)")
            }
        }
    }

    @Test("of several that are missing, each leaves a hole in the conversations between it and the next")
    func several() throws {
        try withTemporaryStore {
            $0.sync.packageNumbers = .withoutHoles
        } _: { store throws in
            try store.ingest(package(1, [message("a", at: 1), message("x", at: 1, in: peer)]))
            try store.ingest(package(3, [message("c", at: 3)]))
            try store.ingest(package(7, [message("g", at: 7), message("y", at: 7, in: peer)]))
            try store.ingest(package(5))
            try store.record(completed)
            #expect(
                try Set(gaps(store)) == [
                    Gap(conversation: group, before: order(3, "c")), Gap(conversation: group, before: order(7, "g")),
                    Gap(conversation: peer, before: order(7, "y")),
                ])
            #expect(try !store.page(limit: 2).isContiguous)
        }
    }

    @Test("a missing package is remembered when the store is closed in the middle of the sync")
    func reopened() throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.sync.packageNumbers = .withoutHoles }
        try store.record(started)
        try store.ingest(package(1, [message("a", at: 1)]))
        try store.ingest(package(3, [message("c", at: 3)]))
        try store.close()
        let again = try place.open { $0.sync.packageNumbers = .withoutHoles }
        try again.ingest(package(4, [message("x", at: 4, in: peer)]))
        try again.record(completed)
        #expect(
            try gaps(again) == [
                Gap(conversation: group, before: order(3, "c")), Gap(conversation: peer, before: order(4, "x")),
            ])
        try again.close()
    }

    @Test("messages belong to the next package's event, also in calls of their own", arguments: 0...11)
    func recordedApart(reopenedAfter: Int) throws {
        func numbered(_ index: UInt32) -> Event {
            Event(OfflinePackageReceived(index: index, messageCount: 1, hasMore: true), origin: .offline)
        }
        let calls = [
            [started], [message("a", at: 1)], [message("w", at: 1, in: peer), numbered(1), message("b", at: 2)],
            [numbered(2)], [message("d", at: 5)], [received("l", at: 4, in: Self.other)],
            [message("c", at: 4), message("y", at: 6, in: peer)], [numbered(4), message("x", at: 7, in: Self.other)],
            [numbered(5)], [message("z", at: 8, in: .group("i"))], [completed], [message("q", at: 9), completed],
        ]
        let place = try TemporaryStore()
        var store = try place.open { $0.sync.packageNumbers = .withoutHoles }
        for (index, events) in calls.enumerated() {
            try store.record(events)
            guard index == reopenedAfter else { continue }
            try store.close()
            store = try place.open { $0.sync.packageNumbers = .withoutHoles }
        }
        #expect(
            try gaps(store) == [
                Gap(conversation: group, before: order(4, "c")), Gap(conversation: peer, before: order(6, "y")),
                Gap(conversation: Self.other, before: order(7, "x")),
            ])
        try store.close()
    }

    @Test("I6: a strict store throws at a jump, records nothing, and goes on when the package arrives")
    func strict() throws {
        try withTemporaryStore {
            $0.sync.packageNumbers = .strict
        } _: { store throws in
            try store.record(started)
            try store.ingest(package(1, [message("a", at: 1)]))
            let last = try store.lastPosition()
            expectError(.packageMissing) { try store.ingest(package(3, [message("c", at: 3)])) }
            #expect(try store.lastPosition() == last && store.texts() == ["a"])
            for index in [2, 1, 3] as [UInt32] { try store.ingest(package(index, [message("\(index)", at: 9)])) }
            try store.record(completed)
            #expect(try gaps(store).isEmpty)
        }
    }
}
