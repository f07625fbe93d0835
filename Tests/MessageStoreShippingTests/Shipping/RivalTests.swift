import Foundation
import MessageStoreLog
import MessageStoreModel
import MessageStoreShipping
import MessageStoreTestCarriers
import MessageStoreTestKit
import MessageStoreWorkload
import Synchronization
import Testing

@Suite("Two writers of one place", .timeLimit(.minutes(30)))
struct RivalTests {
    private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do { try await body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    private func shipper(_ store: MessageStore, _ scene: ShippingScene, takesOver: Bool = false) -> LogShipper {
        var options = ShippingScene.options
        options.takesOver = takesOver
        return LogShipper(of: store, to: scene.carrier, options: options)
    }

    /// The store with the same id that a copy of the files makes.
    private func copy(of scene: ShippingScene) async throws -> MessageStore {
        let path = scene.place.directory + "/copy"
        try await scene.store.suspend()
        try FileManager.default.copyItem(atPath: scene.place.path, toPath: path)
        try await scene.store.resume()
        return try await MessageStore.open(
            path, account: TemporaryStore.account, configuration: scene.place.configuration)
    }

    /// A store that is made of the place.
    private func restored(_ scene: ShippingScene, _ name: String) async throws -> MessageStore {
        let path = scene.place.directory + "/" + name
        try await LogRestorer(from: scene.carrier, key: TemporaryStore.key).restore(to: path)
        return try await MessageStore.open(
            path, account: TemporaryStore.account, configuration: scene.place.configuration)
    }

    @Test("a segment in the place of another one, or of an end, is damaged or says the same")
    func misplacedSegments() async throws {
        let scene = try ShippingScene(seed: 6)
        for _ in 0..<3 {
            try scene.record(4)
            try await scene.ship()
        }
        let second = try await restored(scene, "second")
        let secondShipper = shipper(second, scene, takesOver: true)
        for _ in 0..<3 {
            try scene.record(2, into: second)
            try await secondShipper.ship()
        }
        let objects = scene.carrier.objects
        let names = objects.keys.filter { $0.contains("/segments/") }.sorted()
        #expect(names.count > 3 && names.contains { objects[$0]?.isLogEnd == true })
        // A segment of the successor that begins where an end is says that there is no successor.
        func isEndOfSamePosition(_ name: String, _ other: String) -> Bool {
            objects[name]?.isLogEnd == true && name.suffix(20) == other.suffix(20)
        }
        for (name, other) in names.flatMap({ name in names.map { (name, $0) } })
        where name != other && !isEndOfSamePosition(name, other) {
            scene.carrier.state.withLock {
                $0.objects = objects
                $0.objects[name] = objects[other]
            }
            let copy = scene.place.directory + "/misplaced"
            let code = await code {
                let last = try await LogRestorer(from: scene.carrier, key: TemporaryStore.key).restore(to: copy)
                #expect(try last == second.lastPosition(), "\(other) in the place of \(name)")
                try FileManager.default.removeItem(atPath: copy)
            }
            #expect(code == nil || code == .segmentDamaged, "\(other) in the place of \(name)")
        }
        try await second.close()
    }

    @Test("another store is refused, from the first round on")
    func foreign() async throws {
        let scene = try ShippingScene(seed: 1)
        try scene.record(5)
        try await scene.ship()
        let other = try ShippingScene(seed: 2, carrier: scene.carrier)
        try other.record(5)
        #expect(await code { try await shipper(other.store, scene).ship() } == .lineageForked)
        #expect(await code { try await shipper(other.store, scene, takesOver: true).ship() } == .lineageForked)
        try await scene.checkRestored()
    }

    @Test("a copy of the files is found by the first event that differs", arguments: Seeds.first(4))
    func copies(seed: UInt64) async throws {
        let scene = try ShippingScene(seed: seed)
        try scene.record(30)
        try await scene.ship()
        let copy = try await copy(of: scene)
        let copyShipper = shipper(copy, scene)
        // As long as both are equal, either may ship.
        try await copyShipper.ship()
        try scene.record(3)
        try scene.record(4, into: copy)
        try await scene.ship()
        #expect(await code { try await copyShipper.ship() } == .lineageForked)
        #expect(await code { try await copyShipper.ship() } == .lineageForked)
        try await scene.checkRestored()
        try scene.record(100, into: copy)
        #expect(await code { try await shipper(copy, scene).ship(base: true) } == .lineageForked)
        try scene.record(10)
        try await scene.ship()
        try await scene.checkRestored()
    }

    @Test("rivals that ship at the same time: one continues, the other one fails", arguments: Seeds.first(6))
    func race(seed: UInt64) async throws {
        let scene = try ShippingScene(seed: seed)
        try scene.record(10)
        try await scene.ship()
        let copy = try await copy(of: scene)
        let (first, second) = (shipper(scene.store, scene), shipper(copy, scene))
        try await first.ship()
        try await second.ship()
        try scene.record(3)
        try scene.record(3, into: copy)
        async let firstCode = code { try await first.ship() }
        async let secondCode = code { try await second.ship() }
        let codes = await [firstCode, secondCode]
        #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .lineageForked } == 1)
        try await scene.checkRestored(equals: codes[0] == nil ? scene.store : copy)
    }

    @Test("a restored store takes over, and the one before it ships no more")
    func takeOver() async throws {
        let scene = try ShippingScene(seed: 7)
        try scene.record(20)
        try await scene.ship()
        try scene.record(5)
        try await scene.ship()
        let new = try await restored(scene, "new")
        #expect(await code { try await shipper(new, scene).ship() } == .lineageForked)
        try scene.record(3, into: new)
        scene.carrier.fail(chance: 0.05, seed: 1)
        let newShipper = shipper(new, scene, takesOver: true)
        while await code({ try await newShipper.ship() }) == .carrierFailed {}
        scene.carrier.fail(chance: 0, seed: 1)
        try await scene.checkRestored(equals: new)
        try scene.record(3)
        #expect(await code { try await scene.ship() } == .lineageForked)
        try scene.record(200, into: new)
        try await newShipper.ship()
        try await shipper(new, scene).ship()
        try await scene.checkRestored(equals: new)
        #expect(await code { try await shipper(scene.store, scene).ship() } == .lineageForked)

        // And a third one after the second.
        let last = try await restored(scene, "third")
        try scene.record(2, into: last)
        try await shipper(last, scene, takesOver: true).ship()
        try await scene.checkRestored(equals: last)
        #expect(await code { try await shipper(new, scene).ship() } == .lineageForked)
    }

    @Test("what was erased since a store was restored stays erased when it takes over")
    func erasedBefore() async throws {
        let scene = try ShippingScene(seed: 9)
        let position = try await scene.store.record([.received(text: "unmistakable")]).lastPosition
        try scene.record(5)
        try await scene.ship()
        let new = try await restored(scene, "new")
        // No event says so, and the place has the same head.
        try await scene.store.redact(position)
        try await scene.ship()
        #expect(!scene.isAnywhere("unmistakable"))
        try await shipper(new, scene, takesOver: true).ship(base: true)
        #expect(!scene.isAnywhere("unmistakable"))
        try await scene.checkRestored(equals: new)
    }

    @Test("one store ships to two places at a time")
    func twoPlaces() async throws {
        let scene = try ShippingScene(seed: 10)
        let other = MemoryCarrier()
        try scene.record(40)
        let (first, second) = (shipper(scene.store, scene), LogShipper(of: scene.store, to: other))
        async let one = first.ship(base: true)
        async let two = second.ship(base: true)
        _ = try await (one, two)
        try await scene.checkRestored()
        let path = scene.place.directory + "/second"
        try await LogRestorer(from: other, key: TemporaryStore.key).restore(to: path)
        let copy = try await MessageStore.open(
            path, account: TemporaryStore.account, configuration: scene.place.configuration)
        #expect(try copy.digests() == scene.store.digests())
        let names = try FileManager.default.contentsOfDirectory(atPath: scene.place.directory)
        #expect(!names.contains { $0.contains(".shipping") })
    }

    @Test("a store that lacks what was shipped since it was restored cannot take over")
    func late() async throws {
        let scene = try ShippingScene(seed: 8)
        try scene.record(20)
        try await scene.ship()
        let new = try await restored(scene, "new")
        try scene.record(5)
        try await scene.ship()
        #expect(await code { try await shipper(new, scene, takesOver: true).ship() } == .lineageForked)
        try scene.record(5)
        try await scene.ship()
        try await scene.checkRestored()
    }
}
