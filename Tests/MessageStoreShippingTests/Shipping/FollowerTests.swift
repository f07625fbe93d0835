import Foundation
import MessageStoreLog
import MessageStoreModel
import MessageStoreShipping
import MessageStoreTestKit
import MessageStoreWorkload
import Synchronization
import Testing

@Suite("Following a shipped log", .timeLimit(.minutes(30)))
struct FollowerTests {
    @Test(
        "a follower has the same events and views after each update, and after its own restart",
        arguments: Seeds.first(5))
    func random(seed: UInt64) async throws {
        let scene = try ShippingScene(seed: seed)
        let path = scene.place.directory + "/follower"
        try scene.record(20)
        try await scene.ship()
        var follower = try await LogFollower.open(path, from: scene.carrier, configuration: scene.place.configuration)
        for _ in 0..<12 {
            try scene.record(1 + scene.random.nextIndex(6))
            if scene.random.chance(0.3) {
                let messages = try await scene.store.events(where: EventFilter(types: [.messageReceived]), limit: .max)
                try await scene.store.redact(messages[scene.random.nextIndex(messages.count)].position)
            }
            try await scene.ship(base: scene.random.chance(0.1))
            #expect(try await !follower.state().isCurrent)
            if scene.random.chance(0.3) {
                try await follower.store.close()
                follower = try await LogFollower.open(
                    path, from: scene.carrier, configuration: scene.place.configuration)
            }
            let state = try await follower.update()
            let last = try scene.store.lastPosition()
            #expect(state.isCurrent && state.position == last)
            #expect(try await follower.state().isCurrent)
            #expect(try await follower.store.events(limit: .max) == scene.store.events(limit: .max))
            #expect(try follower.store.digests() == scene.store.digests())
        }
        #expect(try await follower.store.verify().isConsistent)
    }

    @Test("live queries of a follower advance with an update")
    func live() async throws {
        let scene = try ShippingScene(seed: 9)
        try scene.record(5)
        try await scene.ship()
        let follower = try await LogFollower.open(
            scene.place.directory + "/follower", from: scene.carrier, configuration: scene.place.configuration)
        var counts = follower.store.observe { views in try views.unreadTotals().messages }.makeAsyncIterator()
        _ = try await counts.next()
        let before = try await scene.store.read { try $0.unreadTotals().messages }
        try await scene.store.record([
            .received(
                "live", from: "u1", in: .single("u1"), at: Timestamp(milliseconds: 1_700_000_000_000),
                content: .text("hi"))
        ])
        let after = try await scene.store.read { try $0.unreadTotals().messages }
        #expect(after == before + 1)
        try await scene.ship()
        try await follower.update()
        while let count = try await counts.next(), count != after {}
        #expect(try await follower.store.read { try $0.unreadTotals().messages } == after)
    }

    @Test("a follower with events of its own, or one that is too old, says so and stays as it is")
    func refused() async throws {
        let scene = try ShippingScene(seed: 10)
        try scene.record(5)
        try await scene.ship()
        let path = scene.place.directory + "/follower"
        let follower = try await LogFollower.open(path, from: scene.carrier, configuration: scene.place.configuration)
        // Two bases later the segments of the first are gone.
        for _ in 0..<3 {
            try scene.record(3)
            try await scene.ship(base: true)
        }
        await #expect { try await follower.update() } throws: { ($0 as? StoreError)?.code == .segmentMissing }
        try await follower.store.close()
        try FileManager.default.removeItem(atPath: path)
        let second = try await LogFollower.open(path, from: scene.carrier, configuration: scene.place.configuration)
        #expect(try second.store.digests() == scene.store.digests())
        #expect { try scene.record(1, into: second.store) } throws: { ($0 as? StoreError)?.code == .readOnly }
        try await second.store.close()
        // Opened as a store of its own, it can be written, and follows no longer.
        let own = try await MessageStore.open(
            path, account: TemporaryStore.account, configuration: scene.place.configuration)
        try scene.record(1, into: own)
        try await own.close()
        let third = try await LogFollower.open(path, from: scene.carrier, configuration: scene.place.configuration)
        await #expect { try await third.update() } throws: { ($0 as? StoreError)?.code == .lineageMismatch }
        #expect(try await third.store.read { try $0.conversations().elements.isEmpty } == false)
    }

    @Test("values that are erased at the source are erased in a follower")
    func erasedValues() async throws {
        let scene = try ShippingScene(seed: 11)
        try await scene.store.record([Event(ProfilesFetched([Profile(id: "u1", name: "Unmistakable Name")]))])
        try scene.record(5)
        try await scene.ship()
        let path = scene.place.directory + "/follower"
        let follower = try await LogFollower.open(path, from: scene.carrier, configuration: scene.place.configuration)
        #expect(try await follower.store.read { try $0.profile("u1").info.name } == "Unmistakable Name")
        _ = try await scene.store.erase(.users(["u1"]))
        try await scene.ship()
        try await follower.update()
        #expect(try await follower.store.read { try $0.profile("u1").info.name } != "Unmistakable Name")
        #expect(try await follower.store.events(limit: .max) == scene.store.events(limit: .max))
        #expect(try follower.store.digests() == scene.store.digests())
    }

    @Test("a follower continues with the store that takes over, also after its own restart")
    func takeOver() async throws {
        let scene = try ShippingScene(seed: 13)
        try scene.record(10)
        try await scene.ship()
        let (path, new) = (scene.place.directory + "/follower", scene.place.directory + "/new")
        var follower = try await LogFollower.open(path, from: scene.carrier, configuration: scene.place.configuration)
        try await LogRestorer(from: scene.carrier, key: TemporaryStore.key).restore(to: new)
        let store = try await MessageStore.open(
            new, account: TemporaryStore.account, configuration: scene.place.configuration)
        var options = ShippingScene.options
        options.takesOver = true
        let shipper = LogShipper(of: store, to: scene.carrier, options: options)
        for round in 0..<4 {
            try scene.record(3, into: store)
            try await shipper.ship()
            #expect(try await !follower.state().isCurrent)
            try await follower.update()
            #expect(try follower.store.digests() == store.digests())
            guard round % 2 == 0 else { continue }
            try await follower.store.close()
            follower = try await LogFollower.open(path, from: scene.carrier, configuration: scene.place.configuration)
        }
    }

    @Test("updates that overlap follow each other, and a cancelled one leaves the store open")
    func overlapping() async throws {
        let scene = try ShippingScene(seed: 12)
        try scene.record(5)
        try await scene.ship()
        let path = scene.place.directory + "/follower"
        let follower = try await LogFollower.open(path, from: scene.carrier, configuration: scene.place.configuration)
        for _ in 0..<5 {
            try scene.record(3)
            try await scene.ship()
            let cancelled = Task { try await follower.update() }
            cancelled.cancel()
            async let first = follower.update()
            async let second = follower.update()
            _ = try await (first, second)
            _ = try? await cancelled.value
            #expect(try follower.store.digests() == scene.store.digests())
        }
    }
}
