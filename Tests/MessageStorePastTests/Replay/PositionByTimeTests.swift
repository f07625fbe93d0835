import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Positions by time", .timeLimit(.minutes(30)))
struct PositionByTimeTests {
    @Test("the last position recorded by a time is that of a search event by event", arguments: 1...4)
    func bruteForce(seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try place.open()
        var random = SplitMix64(seed: seed)
        place.time.set(ms(1_000))
        for batch in 0..<60 {
            try store.record((0...random.nextIndex(4)).map { received("m\(batch)-\($0)", at: 1) })
            // Some commits share a time; the clock also goes backwards, which recorded times do not.
            if random.chance(0.7) { place.time.move(byMilliseconds: Int64(random.nextIndex(6)) - 1) }
        }
        // Not yet durable events count as well.
        try store.record(received("last", at: 1), acknowledgement: .visible)
        let events = try store.events(limit: .max)
        let latest = try #require(events.last?.recordedTime.milliseconds)
        let extremes = [Int64.min, -1, 0, 1, Timestamp.latest.milliseconds, Int64.max]
        for time in Array(990...latest + 2) + extremes {
            let expected = events.last { $0.recordedTime <= ms(time) }?.position ?? .origin
            #expect(try store.lastPosition(recordedBy: ms(time)) == expected, "\(time)")
        }
        try store.close()
        #expect(throws: StoreError.self) { try store.lastPosition(recordedBy: .latest) }
    }

    @Test("nothing is recorded by any time in an empty store")
    func empty() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        #expect(try store.lastPosition(recordedBy: .latest) == .origin)
        try store.close()
    }
}
