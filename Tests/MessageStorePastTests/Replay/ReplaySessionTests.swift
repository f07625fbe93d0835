import Foundation
import MessageStore
import MessageStoreProjections
import Testing
@testable import MessageStoreTestSupport

@Suite("A session over a log's past", .timeLimit(.minutes(30)))
struct ReplaySessionTests {
    /// Limits so small that snapshots are thinned, identities written and the map outgrown within a few hundred events.
    enum Size: CaseIterable {
        case standard, fewSnapshots, fewIdentities, smallMap, smallMapFewIdentities

        var options: ReplayedViews.Options {
            var options = ReplayedViews.Options()
            guard self != .standard else { return options }
            options.limits.interval = 7
            if self == .fewSnapshots { options.limits.snapshots = 5 }
            if self == .fewIdentities || self == .smallMapFewIdentities { options.limits.identities = 40 }
            if self == .smallMap || self == .smallMapFewIdentities { options.limits.mapSize = 200 << 10 }
            return options
        }
    }

    private static func fill(_ place: TemporaryStore, seed: UInt64, count: UInt64 = 500) throws -> MessageStore {
        let store = try place.open(account: RandomEvents.account)
        var random = RandomEvents(seed: seed)
        while try store.lastPosition().rawValue < count {
            try store.record(random.nextBatch(after: store.lastPosition()))
            place.time.move(byMilliseconds: 1000)
        }
        return store
    }

    @Test(
        "I3: at any position, in any order, it has the digests of a store that was given only the events up to it",
        arguments: Size.allCases, Seeds.first(2))
    func anyPosition(size: Size, seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try Self.fill(place, seed: seed)
        let events = try store.events(limit: .max)
        let session = try store.replaySession(size.options)
        var random = SplitMix64(seed: seed)
        for _ in 0..<TestSize.of(plain: 6, full: 25) {
            let position = random.nextIndex(events.count + 1)
            let other = try TemporaryStore()
            let given = try other.open(account: RandomEvents.account)
            try given.appendRecorded(Array(events.prefix(position)))
            let expected = try given.digests()
            try given.close()
            let found = try session.read(at: Position(UInt64(position))) { views throws in
                #expect(views.position.rawValue == UInt64(position))
                try views.snapshot.checkInvariants()
                return try views.snapshot.digests()
            }
            #expect(found == expected, "position \(position), seed \(seed)")
        }
        try store.close()
    }

    @Test(
        "I3: event by event it comes to the same as a replay of all of them at once",
        arguments: TestSize.of(plain: [.standard, .smallMapFewIdentities], full: Size.allCases))
    func eventByEvent(size: Size) throws {
        let place = try TemporaryStore()
        let store = try Self.fill(place, seed: 3)
        let session = try store.replaySession(size.options)
        let last = try store.lastPosition()
        var next: UInt64 = 1
        try session.forEachStop(at: .events) { views throws in
            #expect(views.position.rawValue == next)
            next += 1
            return true
        }
        #expect(next == last.rawValue + 1)
        #expect(try session.read(at: last) { try $0.snapshot.digests() } == store.digests())
        for position in stride(from: last.rawValue, to: 0, by: -83) {
            let digests = try session.read(at: Position(position)) { try $0.snapshot.digests() }
            #expect(try digests == store.digests(at: Position(position)), "position \(position)")
        }
        try store.close()
    }

    @Test("I3: with so many identities that those of snapshots lie in files, it has the digests of each position")
    func manyIdentities() throws {
        let place = try TemporaryStore()
        let store = try Self.fill(place, seed: 6, count: 2500)
        var options = ReplayedViews.Options()
        (options.limits.interval, options.limits.snapshots, options.limits.identities) = (500, 4, 1800)
        let session = try store.replaySession(options)
        let last = try store.lastPosition().rawValue
        for position in [last] + Array(stride(from: 2400, to: 0, by: -700)) + [1100, last] {
            let found = try session.read(at: Position(position)) { views throws in
                try views.snapshot.checkInvariants()
                return try views.snapshot.digests()
            }
            #expect(try found == store.digests(at: Position(position)), "position \(position)")
        }
        try store.close()
    }

    @Test(
        "it stops after commits and after events that match, as a look at every event tells",
        arguments: Seeds.first(2))
    func stops(seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try Self.fill(place, seed: seed)
        let events = try store.events(limit: .max)
        let session = try store.replaySession(Size.fewSnapshots.options)
        let conversation = try #require(events.compactMap(\.event.conversation).last)
        let range = Position(100)...Position(400)
        func found(_ stops: ReplaySession.Stops) throws -> [Position] {
            var positions: [Position] = []
            try session.forEachStop(at: stops, from: range.lowerBound, through: range.upperBound) { views in
                positions.append(views.position)
                return true
            }
            return positions
        }
        let inRange = events.filter { range.contains($0.position) }
        let commitEnds = inRange.filter { recorded in
            events.first { $0.position.rawValue == recorded.position.rawValue + 1 }?.commit != recorded.commit
        }
        #expect(try found(.commits) == commitEnds.map(\.position))
        #expect(
            try found(.matching(EventFilter(conversation: conversation)))
                == inRange.filter { $0.event.conversation == conversation }.map(\.position))
        let times = inRange[20].recordedTime...inRange[120].recordedTime
        #expect(
            try found(.matching(EventFilter(types: [.messageReceived], recordedTime: times)))
                == inRange.filter { $0.event.type == .messageReceived && times.contains($0.recordedTime) }
                .map(\.position))
        #expect(try found(.matching(EventFilter(conversation: .group("nobody")))).isEmpty)
        try store.close()
    }

    @Test("it ends where the body wants, and goes on with events that were recorded meanwhile")
    func growingLog() throws {
        let place = try TemporaryStore()
        let store = try Self.fill(place, seed: 6, count: 100)
        let session = try store.replaySession()
        var count = 0
        try session.forEachStop(at: .events) { _ in
            count += 1
            return count < 10
        }
        #expect(count == 10)
        let last = try store.record([received("new", at: 5)]).lastPosition
        #expect(try session.read(at: last) { try $0.snapshot.digests() } == store.digests())
        try store.close()
    }

    @Test(
        "what it says changed between two positions is what differs between two replays",
        arguments: [Size.standard, .fewSnapshots, .fewIdentities], Seeds.first(2))
    func changes(size: Size, seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try Self.fill(place, seed: seed, count: 300)
        let session = try store.replaySession(size.options)
        let last = Int(try store.lastPosition().rawValue)
        var random = SplitMix64(seed: seed)
        for number in 0..<TestSize.of(plain: 6, full: 20) {
            let first = random.nextIndex(last)
            let second = number.isMultiple(of: 2) ? first + 1 : first + random.nextIndex(last - first + 1)
            let positions = (Position(UInt64(first)), Position(UInt64(second)))
            let before = try session.read(at: positions.0) { try Self.rows($0) }
            let after = try session.read(at: positions.1) { try Self.rows($0) }
            let expected = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            let (changes, count) = try session.changes(from: positions.0, to: positions.1)
            #expect(count == changes.count)
            #expect(Set(changes.map { "\($0.table) \($0.key)" }) == expected, "\(first) to \(second), seed \(seed)")
            for change in changes {
                let name = "\(change.table) \(change.key)"
                #expect(change.first == before[name] && change.second == after[name])
                #expect(change.keyParts != nil && change.parts != nil, "\(change)")
                if let before = change.first, let after = change.second, !before.isEmpty, !after.isEmpty {
                    #expect(change.parts?.isEmpty == false, "\(change)")
                }
            }
            #expect(
                try session.changes(from: positions.0, to: positions.1, limit: 1).changes == Array(changes.prefix(1)))
        }
        expectError(.invalidArgument) { _ = try session.changes(from: Position(2), to: Position(1)) }
        try store.close()
    }

    /// Every row of every table in hexadecimal, by table and key.
    private static func rows(_ views: borrowing Views) throws -> [String: String] {
        var rows: [String: String] = [:]
        for table in ViewTable.builtIn {
            var cursor = try views.snapshot.rows(table)
            while try cursor.next() {
                let key = hexadecimal(cursor.key.withUnsafeBytes { [UInt8]($0) })
                rows["\(table.name) \(key)"] = hexadecimal(cursor.value.withUnsafeBytes { [UInt8]($0) })
            }
        }
        return rows
    }

    @Test("positions that are not there are refused, and a closed store ends it and its files")
    func ends() throws {
        let place = try TemporaryStore()
        let store = try Self.fill(place, seed: 7, count: 50)
        let last = try store.lastPosition()
        let session = try store.replaySession()
        expectError(.invalidArgument) { try session.read(at: Position(last.rawValue + 1)) { _ in } }
        expectError(.invalidArgument) { try session.forEachStop(at: .events, through: .init(.max)) { _ in true } }
        expectError(.nestedAccess) { try session.read(at: last) { _ in try session.read(at: last) { _ in } } }
        #expect(try session.read(at: .origin) { try $0.conversations().elements.isEmpty })
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).contains { $0.contains(".build-") })
        try store.close()
        expectError(.closed) { try session.read(at: last) { _ in } }
        #expect(try !FileManager.default.contentsOfDirectory(atPath: place.path).contains { $0.contains(".build-") })
        let reader = try place.openReadOnly()
        let other = try reader.replaySession()
        #expect(try other.read(at: last) { try $0.snapshot.digests() } == reader.digests())
        try reader.close()
    }
}
