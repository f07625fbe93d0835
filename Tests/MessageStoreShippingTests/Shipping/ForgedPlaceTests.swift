import Foundation
import MessageStoreLog
import MessageStoreModel
import MessageStoreShipping
import MessageStoreTestCarriers
import MessageStoreTestKit
import MessageStoreWorkload
import Synchronization
import Testing

@Suite("A place that somebody else wrote to", .timeLimit(.minutes(30)))
struct ForgedPlaceTests {
    private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do { try await body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    private func shipper(_ scene: ShippingScene, takesErasures: Bool = false) -> LogShipper {
        var options = ShippingScene.options
        options.takesErasures = takesErasures
        return LogShipper(of: scene.store, to: scene.carrier, options: options)
    }

    /// A ledger as anybody can write it who has read one: other positions, and the checksum put right.
    private func forged(_ ledger: ErasureLedger, _ positions: String) throws -> [UInt8] {
        var json = try JSONSerialization.jsonObject(with: Data(ledger.json.utf8)) as? [String: Any] ?? [:]
        json["checksum"] = nil
        json["positions"] = try JSONSerialization.jsonObject(with: Data(positions.utf8))
        let text = try JSONSerialization.data(withJSONObject: json, options: [.sortedKeys, .withoutEscapingSlashes])
        json["checksum"] = String(XXH64.hash(String(decoding: text, as: UTF8.self)), radix: 16)
        let bytes = try JSONSerialization.data(withJSONObject: json, options: [.sortedKeys, .withoutEscapingSlashes])
        _ = try ErasureLedger(json: String(decoding: bytes, as: UTF8.self))
        return [UInt8](bytes)
    }

    @Test(
        "I19: a ledger that names events of the live store changes nothing in it, unless the host agrees",
        arguments: [1, 7])
    func ledger(number: Int) async throws {
        let scene = try ShippingScene(seed: 21)
        try scene.record(20)
        try await scene.ship()
        let (digests, events) = (try scene.store.digests(), try await scene.store.events(limit: .max))
        let last = try scene.store.lastPosition()
        let name = "logs/\(scene.store.storeName)/erasures/" + String(format: "%020d", number)
        let ledger = try forged(scene.store.erasureLedger(), "[[1,\(last)]]")
        try await scene.carrier.replace(name, with: ledger)
        let objects = scene.carrier.objects
        for _ in 0..<2 {
            #expect(await code { try await shipper(scene).ship() } == .lineageForked)
            #expect(try scene.store.digests() == digests)
            #expect(try await scene.store.events(limit: .max) == events)
            #expect(scene.carrier.objects == objects)
        }
        try await shipper(scene, takesErasures: true).ship()
        #expect(try await scene.store.events(limit: .max) != events)
    }

    @Test("I19: a store that was set back to an earlier copy says so, and ships no smaller ledger")
    func setBack() async throws {
        let scene = try ShippingScene(seed: 22)
        let position = try await scene.store.record([.received(text: "unmistakable")]).lastPosition
        try scene.record(10)
        try await scene.ship()
        try await scene.store.flush()
        let copy = scene.place.directory + "/copy"
        try FileManager.default.copyItem(atPath: scene.store.path, toPath: copy)
        try await scene.store.redact(position)
        try await scene.ship()
        #expect(!scene.isAnywhere("unmistakable"))
        let objects = scene.carrier.objects
        // The same store, by its id, as it was before.
        let old = try await MessageStore.open(
            copy, account: TemporaryStore.account, configuration: scene.place.configuration)
        var options = ShippingScene.options
        let shipper = LogShipper(of: old, to: scene.carrier, options: options)
        #expect(await code { try await shipper.ship() } == .lineageForked)
        #expect(await code { try await shipper.ship(base: true) } == .lineageForked)
        #expect(scene.carrier.objects == objects)
        options.takesErasures = true
        try await LogShipper(of: old, to: scene.carrier, options: options).ship(base: true)
        #expect(!scene.isAnywhere("unmistakable"))
        try await scene.checkRestored(equals: old)
        try await old.close()
    }

    @Test("I19: whatever the objects of the place become, the store keeps every event", arguments: Seeds.first(6))
    func random(seed: UInt64) async throws {
        let scene = try ShippingScene(seed: seed)
        let position = try await scene.store.record([.received(text: "unmistakable")]).lastPosition
        try scene.record(30)
        try await scene.ship()
        try await scene.store.redact(position)
        try await scene.ship()
        try await scene.store.flush()
        let (digests, events) = (try scene.store.digests(), try await scene.store.events(limit: .max))
        let whole = scene.carrier.objects
        let last = try scene.store.lastPosition()
        let ledger = try forged(scene.store.erasureLedger(), "[[2,\(last)]]")
        for _ in 0..<TestSize.of(plain: 15, full: 60) {
            var objects = whole
            for _ in 0...scene.random.nextIndex(3) {
                let names = objects.keys.sorted()
                let name = names[scene.random.nextIndex(names.count)]
                let other = names[scene.random.nextIndex(names.count)]
                switch scene.random.nextIndex(5) {
                case 0: objects[name] = ledger
                case 1: objects[name] = objects[other]
                case 2: objects[name] = objects[name].map { Array($0.prefix(scene.random.nextIndex($0.count + 1))) }
                case 3: objects[name] = nil
                default: objects["logs/\(scene.store.storeName)/erasures/" + String(format: "%020d", 9)] = ledger
                }
            }
            scene.carrier.state.withLock { $0.objects = objects }
            _ = try? await shipper(scene).ship(base: scene.random.chance(0.3))
            #expect(try scene.store.digests() == digests)
            #expect(try await scene.store.events(limit: .max) == events)
        }
    }
}
