import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I2, I6, I7: acknowledgements", .timeLimit(.minutes(30)))
struct AcknowledgementTests {
    /// Nothing is committed but by hand, by closing, or by number.
    private static func byHand(_ faults: CommitFaults) -> (inout MessageStore.Configuration) -> Void {
        { configuration in
            configuration.durability.groupCommit.delay = .seconds(3600)
            faults.install(in: &configuration)
        }
    }

    @Test("I7: what is visible is read at once, by views and from the log") func visible() throws {
        try withTemporaryStore(Self.byHand(CommitFaults())) { store in
            let result = try store.record(
                (1...50).map { received("m\($0)", at: Int64($0)) }, acknowledgement: .visible)
            #expect(result.lastPosition == Position(50))
            #expect(try store.lastPosition() == Position(50))
            #expect(try store.lastDurablePosition() == .origin)
            #expect(try store.read { $0.position } == Position(50))
            #expect(try store.read { try $0.unreadTotals().messages } == 50)
            #expect(try store.events(from: Position(49), limit: 9).map(\.position.rawValue) == [49, 50])
            #expect(try store.events(order: .descending, limit: 1).map(\.position.rawValue) == [50])
            // Known already, though not yet written.
            #expect(try store.record(received("m7", at: 7), acknowledgement: .visible).position == Position(7))
        }
    }

    @Test("I2: what survives is what is durable, and closing makes everything so") func survival() throws {
        let place = try TemporaryStore()
        let store = try place.open(Self.byHand(CommitFaults()))
        try store.record(received("a", at: 1))
        try store.record(received("b", at: 2), acknowledgement: .visible)
        #expect(try Self.survivors(of: place) == 1)
        try store.waitUntilDurable(through: Position(2))
        #expect(try Self.survivors(of: place) == 2)
        try store.record(received("c", at: 3), acknowledgement: .visible)
        try store.close()
        #expect(try Self.survivors(of: place) == 3)
    }

    /// What a store holds whose process ends now.
    private static func survivors(of place: TemporaryStore) throws -> UInt64 {
        let copy = place.directory + "/copy"
        try FileManager.default.copyItem(atPath: place.path, toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let store = try MessageStore.open(copy, account: TemporaryStore.account, configuration: .ofTests)
        #expect(try store.verify().isConsistent)
        let last = try store.lastPosition().rawValue
        #expect(try store.read { UInt64(try $0.unreadTotals().messages) } == last)
        try store.close()
        return last
    }

    @Test("packages share a commit, and a durable one takes those before it along") func shared() throws {
        let faults = CommitFaults()
        try withTemporaryStore(Self.byHand(faults)) { store in
            for index in 1...20 {
                let package = OfflinePackage(
                    index: UInt32(index), events: [received("m\(index)", at: Int64(index), origin: .offline)],
                    hasMore: true)
                try store.ingest(package, acknowledgement: .visible)
            }
            #expect(faults.commits == 0)
            try store.record(received("last", at: 99))
            #expect(faults.commits == 1)
            #expect(try store.lastDurablePosition() == Position(41))
            try store.waitUntilDurable()
            #expect(faults.commits == 1)
            #expect(try store.verify().isConsistent)
        }
    }

    @Test("a repeat of what is only visible is acknowledged as durable when that is") func duplicate() throws {
        try withTemporaryStore(Self.byHand(CommitFaults())) { store in
            try store.record(received("a", at: 1), acknowledgement: .visible)
            #expect(try store.record(received("a", at: 1)).position == Position(1))
            #expect(try store.lastDurablePosition() == Position(1))
        }
    }

    @Test("a group is committed by number, by bytes and after a while", arguments: [0, 1, 2])
    func bounds(rule: Int) async throws {
        let place = try TemporaryStore()
        let clock = ManualClock()
        let store = try place.open { configuration in
            configuration.clock = clock
            configuration.durability.groupCommit.delay = .milliseconds(10)
            if rule == 0 { configuration.durability.groupCommit.batches = 4 }
            if rule == 1 { configuration.durability.groupCommit.bytes = 200 }
        }
        for index in 1...4 {
            try await store.record(received("m\(index)", at: Int64(index)), acknowledgement: .visible)
        }
        if rule == 2 {
            await clock.waitForSleeper(until: .milliseconds(10))
            #expect(try store.lastDurablePosition() == .origin)
            clock.advance(by: .milliseconds(10))
        }
        try await store.wait { try store.lastDurablePosition() >= Position(rule == 1 ? 1 : 4) }
        try await store.close()
    }

    @Test("back-pressure: a call waits for a commit before twice as much is staged") func backPressure() throws {
        let place = try TemporaryStore()
        let faults = CommitFaults()
        let store = try place.open { configuration in
            configuration.durability.groupCommit.delay = .seconds(3600)
            configuration.durability.groupCommit.batches = 2
            faults.install(in: &configuration)
        }
        // No commit succeeds: the fifth call finds no room and throws, with nothing recorded of it.
        faults.fail(next: .max)
        for index in 1...4 { try store.record(received("m\(index)", at: Int64(index)), acknowledgement: .visible) }
        expectError(.diskFull) { try store.record(received("m5", at: 5), acknowledgement: .visible) }
        #expect(try store.lastPosition() == Position(4))
        faults.fail(next: 0)
        try store.record(received("m5", at: 5), acknowledgement: .visible)
        try store.waitUntilDurable(through: Position(5))
        #expect(try store.verify().isConsistent)
        try store.close()
    }

    @Test("I6: a durable batch whose commit fails was never there, whatever its size", arguments: [1, 200])
    func failedCommit(count: Int) throws {
        let faults = CommitFaults()
        try withTemporaryStore(Self.byHand(faults)) { store in
            try store.record(received("kept", at: 1), acknowledgement: .visible)
            let events = (1...count).map { received("m\($0)", at: Int64(10 + $0), from: "user\($0)") }
            faults.fail(next: 1)
            expectError(.diskFull) { try store.record(events) }
            #expect(try store.lastPosition() == Position(1))
            #expect(try store.read { try $0.unreadTotals().messages } == 1)
            #expect(try store.verify().isConsistent)
            #expect(try store.record(events).positions == (2...count + 1).map { Position(UInt64($0)) })
            #expect(try store.read { try $0.unreadTotals().messages } == UInt64(count + 1))
            #expect(try store.verify().isConsistent)
        }
    }

    @Test("a group whose commit fails stays visible and is tried again") func failedGroup() throws {
        let place = try TemporaryStore()
        let faults = CommitFaults()
        let store = try place.open(Self.byHand(faults))
        try store.record(received("a", at: 1), acknowledgement: .visible)
        faults.fail(next: 2)
        expectError(.diskFull) { try store.waitUntilDurable() }
        // The views are not written ahead of the log.
        expectError(.diskFull) { try store.flush() }
        #expect(try store.read { try $0.unreadTotals().messages } == 1)
        try store.waitUntilDurable()
        #expect(try store.lastDurablePosition() == Position(1))
        try store.close()
        let last = try place.withStore { try $0.lastPosition() }
        #expect(last == Position(1))
    }

    @Test("a position beyond the log's end is refused") func beyond() throws {
        try withTemporaryStore { store in
            expectError(.invalidArgument) { try store.waitUntilDurable(through: Position(1)) }
        }
    }

    @Test("tails give what is durable") func tails() async throws {
        let place = try TemporaryStore()
        let store = try place.open(Self.byHand(CommitFaults()))
        var tail = store.tail(after: .origin).makeAsyncIterator()
        try await store.record(received("a", at: 1))
        let first = try await tail.next()?.position
        #expect(first == Position(1))
        let following = Task {
            var early: [Position] = []
            for try await event in store.tail(after: Position(1)) {
                if try store.lastDurablePosition() < event.position { early.append(event.position) }
                if event.position == Position(41) { break }
            }
            return early
        }
        for number in 2...41 {
            let event = received(ServerMessageID("b\(number)"), at: Int64(number))
            try await store.record(event, acknowledgement: .visible)
            try await store.waitUntilDurable()
        }
        #expect(try await following.value == [], "given while only visible")
        #expect(try await tail.next()?.position == Position(2))
        try await store.close()
    }
}
