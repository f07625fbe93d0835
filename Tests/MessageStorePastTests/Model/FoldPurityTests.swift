import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Folds of one log")
struct FoldPurityTests {
    private static let batchSizes = [1, 7, 64, 1000]

    /// Every dictionary and set has an order of its own, also within one process, so an order that mattered would show.
    @Test(
        "I12: a log gives the same digests in whatever batches, at whatever time it is folded",
        arguments: Seeds.first(2))
    func sameDigests(seed: UInt64) throws {
        let events = try Self.events(seed: seed, count: 600)
        var digests: [[ProjectionID: UInt64]] = []
        for size in Self.batchSizes {
            let place = try TemporaryStore()
            let store = try place.open(account: RandomEvents.account) {
                ($0.bufferBytes, $0.replayBytes) = (64 << 10, 64 << 10)
                // Else what the store had before a call decides which messages are of the past.
                $0.sync.countsHistoryAsUnread = true
            }
            for first in stride(from: 0, to: events.count, by: size) {
                try store.record(Array(events[first..<min(first + size, events.count)]))
            }
            digests.append(try store.digests())
            digests.append(try store.digests(at: store.lastPosition()))
            try store.close()
            digests.append(try Self.digestsFoldedAnew(place))
        }
        #expect(digests.allSatisfy { $0.count == ProjectionID.builtIn.count })
        for other in digests.dropFirst() { #expect(other == digests[0], "seed \(seed)") }
    }

    /// The digests after the views were removed, by a store that is opened a year later.
    private static func digestsFoldedAnew(_ place: TemporaryStore) throws -> [ProjectionID: UInt64] {
        try FileManager.default.removeItem(atPath: place.path + "/views")
        place.time.move(byMilliseconds: 365 * 86_400_000)
        let store = try place.open(account: RandomEvents.account)
        defer { try? store.close() }
        return try store.digests()
    }

    /// Events that a store took, each recorded once, so that they mean the same in batches of any size.
    private static func events(seed: UInt64, count: Int) throws -> [Event] {
        let place = try TemporaryStore()
        let store = try place.open(account: RandomEvents.account)
        var random = RandomEvents(seed: seed)
        while try store.lastPosition().rawValue < count {
            try store.record(random.nextBatch(after: store.lastPosition()))
        }
        let events = try store.events().map(\.event)
        try store.close()
        return events
    }
}
