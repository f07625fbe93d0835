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
            // Some commits share a time; the clock also goes backwards, a little or far.
            if random.chance(0.7) { place.time.move(byMilliseconds: Int64(random.nextIndex(6)) - 1) }
            if random.chance(0.05) { place.time.move(byMilliseconds: Int64(random.nextIndex(400)) - 200) }
            if random.chance(0.1) { try store.flush() }
        }
        // Not yet durable events count as well.
        try store.record(received("last", at: 1), acknowledgement: .visible)
        let events = try store.events(limit: .max)
        let latest = try #require(events.last?.recordedTime.milliseconds)
        let earliest = events.map(\.clockTime.milliseconds).min() ?? 0
        let extremes = [Int64.min, -1, 0, 1, Timestamp.latest.milliseconds, Int64.max]
        for time in Array(earliest - 2...latest + 2) + extremes {
            let expected = events.last { $0.clockTime <= ms(time) }?.position ?? .origin
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
