import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Streams with cuts and erasures against the model", .timeLimit(.minutes(30)))
struct CrashStreamTests {
    @Test(
        "I3, I4, I16: after cuts and erasures of events a store answers as what is left of its log says",
        arguments: Seeds.first(20))
    func agrees(seed: UInt64) throws {
        let place = try TemporaryStore()
        place.time.set(CrashStream.time)
        func open() throws -> MessageStore {
            try place.open(account: RandomEvents.account) {
                ($0.automaticCompaction, $0.durability.level) = (nil, .relaxed)
            }
        }
        var store = try open()
        var stream = CrashStream(seed: seed)
        var random = SplitMix64(seed: seed)
        for _ in 0..<30 {
            if let events = stream.erasure, let position = try store.erase(.events(events)) {
                stream.erase()
                try #require(position == stream.model.lastPosition)
            }
            let last = try store.record(stream.next()).lastPosition
            try #require(last == stream.model.lastPosition)
            if random.chance(0.3) {
                let before = Set(try store.events(limit: .max).map(\.position))
                try store.compact()
                let cut = before.subtracting(try store.events(limit: .max).map(\.position))
                if !cut.isEmpty {
                    stream.cut(.init(end: last, base: try store.statistics().replayStart, positions: cut.sorted()))
                }
            }
            try Self.compare(store, stream.model)
            if random.chance(0.2) {
                try store.close()
                store = try open()
                stream.reopen()
            }
        }
        try store.close()
    }

    private static func compare(_ store: MessageStore, _ model: StoreModel) throws {
        try store.read { views in
            for key in RandomEvents.conversations {
                let timeline = try views.timeline(of: key, limit: 1000).elements.map(\.id)
                let expected = model.timeline(of: key).suffix(1000).map(\.id)
                try Disagreement.check("timeline of \(key) at \(views.position)", timeline, expected)
                try Disagreement.check(
                    "unread of \(key) at \(views.position)", try views.unread(of: key), model.unread(of: key))
            }
            try Disagreement.check("outbox", try views.outbox().map(\.id), model.outbox().map(\.id))
        }
    }
}
