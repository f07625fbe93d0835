import Foundation
@_spi(Storage) import MessageStoreLog
import MessageStoreModel
import MessageStoreTestCarriers
import MessageStoreTestKit
import Testing

@testable import MessageStoreShipping

@Suite("A place whose objects were damaged or lost", .timeLimit(.minutes(30)))
struct DamagedPlaceTests {
    /// What becomes of an object.
    enum Harm: CaseIterable { case lost, flipped, cut, empty }

    private static func harm(_ carrier: MemoryCarrier, _ name: String, _ harm: Harm) async throws {
        guard var bytes = carrier.objects[name] else { return }
        switch harm {
        case .lost: return try await carrier.remove(name)
        case .flipped: bytes[bytes.count / 2] ^= 1
        case .cut: bytes.removeLast(bytes.count / 3 + 1)
        case .empty: bytes = []
        }
        try await carrier.replace(name, with: bytes)
    }

    @Test(
        "I22: the first round of a process notices each object that cannot be restored, and cures it",
        arguments: Harm.allCases)
    func each(harm: Harm) async throws {
        let scene = try ShippingScene(seed: 31)
        scene.carrier.fail(chance: 0, seed: 0)
        var options = LogShipper.Options()
        options.segmentBytes = 2000
        try scene.record(10)
        try await LogShipper(of: scene.store, to: scene.carrier, options: options).ship()
        try scene.record(30)
        let first = try #require(try await scene.store.events(limit: 20).first { $0.event.payload is MessageReceived })
        try await scene.store.redact(first.position)
        try await LogShipper(of: scene.store, to: scene.carrier, options: options).ship()
        let objects = scene.carrier.objects
        #expect(objects.keys.count { $0.contains("/segments/") } > 3)
        for name in objects.keys.sorted() where !name.hasSuffix("/page") {
            let carrier = MemoryCarrier(objects)
            try await Self.harm(carrier, name, harm)
            let isDamaged = (try? await LogRestorer(from: carrier, key: TemporaryStore.key).check()) == nil
            let report = try await LogShipper(of: scene.store, to: carrier, options: options).ship()
            #expect(try report.position == scene.store.lastPosition(), "\(name)")
            #expect(try await LogRestorer(from: carrier, key: TemporaryStore.key).check() == report.position, "\(name)")
            let path = scene.place.directory + "/restored"
            #expect(
                try await LogRestorer(from: carrier, key: TemporaryStore.key).restore(to: path) == report.position,
                "\(name)")
            try FileManager.default.removeItem(atPath: path)
            if isDamaged, harm != .lost { #expect(report.damagedObject != nil, "\(name)") }
        }
    }

    @Test("a place that was emptied while a shipper ran gets everything again")
    func emptied() async throws {
        let scene = try ShippingScene(seed: 32)
        var options = LogShipper.Options()
        options.presenceInterval = .zero
        try scene.record(10)
        let shipper = LogShipper(of: scene.store, to: scene.carrier, options: options)
        try await shipper.ship()
        for name in scene.carrier.objects.keys { try await scene.carrier.remove(name) }
        try scene.record(1)
        try await shipper.ship()
        try await scene.checkRestored()
    }

    @Test("a check names the object that a restore would fail on, and changes nothing")
    func check() async throws {
        let scene = try ShippingScene(seed: 33)
        try scene.record(30)
        try await scene.ship()
        try scene.record(30)
        try await scene.ship()
        let objects = scene.carrier.objects
        #expect(
            try await LogRestorer(from: scene.carrier, key: TemporaryStore.key).check() == scene.store.lastPosition())
        let piece = try #require(objects.keys.sorted().first { $0.contains("/bases/") && !$0.hasSuffix("manifest") })
        try await Self.harm(scene.carrier, piece, .flipped)
        let error = await #expect(throws: StoreError.self) {
            try await LogRestorer(from: scene.carrier, key: TemporaryStore.key).check()
        }
        #expect(error?.code == .segmentDamaged)
        #expect(Set(scene.carrier.objects.keys) == Set(objects.keys))
    }

    @Test("a base of a machine with words of another size is refused by name")
    func otherWords() async throws {
        let scene = try ShippingScene(seed: 35)
        try scene.record(10)
        try await scene.ship()
        let name = try #require(scene.carrier.objects.keys.first { $0.hasSuffix("manifest") })
        var manifest = try SealedJSON.decode(
            BaseManifest.self, #require(await scene.carrier.get(name)), name: name)
        let restorer = LogRestorer(from: scene.carrier, key: TemporaryStore.key)
        // Version 0.2 did not say which words a base has.
        manifest.wordBits = nil
        try await scene.carrier.replace(name, with: SealedJSON.encode(manifest))
        #expect(try await restorer.check() == scene.store.lastPosition())
        manifest.wordBits = 32
        try await scene.carrier.replace(name, with: SealedJSON.encode(manifest))
        let path = scene.place.directory + "/words"
        for refused in [{ _ = try await restorer.restore(to: path) }, { _ = try await restorer.check() }] {
            let error = await #expect(throws: StoreError.self) { try await refused() }
            #expect(error?.code == .notAStore && error?.message.contains("32 bits") == true && error?.path == name)
        }
    }

    @Test("two restores to one path: one makes the store, the other refuses, and nothing is left")
    func twoRestores() async throws {
        let scene = try ShippingScene(seed: 34)
        try scene.record(10)
        try await scene.ship()
        for round in 0..<4 {
            let path = scene.place.directory + "/two-\(round)"
            let restorer = LogRestorer(from: scene.carrier, key: TemporaryStore.key)
            let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        do { _ = try await restorer.restore(to: path) } catch { return (error as? StoreError)?.code }
                        return nil
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.contains(nil) && codes.allSatisfy { $0 == nil || $0 == .invalidArgument }, "\(codes)")
            #expect(try await MessageStore.check(path, configuration: .ofTests).isSound)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: scene.place.directory)
        #expect(names.allSatisfy { !$0.hasPrefix("messagestore.") })
    }
}
