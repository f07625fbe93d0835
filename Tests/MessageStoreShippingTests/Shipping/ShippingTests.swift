import Foundation
import MessageStoreLog
import MessageStoreModel
import MessageStoreShipping
import MessageStoreTestCarriers
import MessageStoreTestKit
import MessageStoreWorkload
import Synchronization
import Testing

/// A store with random events, and a place that it ships to.
final class ShippingScene {
    let place: TemporaryStore
    let carrier: MemoryCarrier
    let store: MessageStore
    var events: RandomEvents
    var random: SplitMix64
    private var shipper: LogShipper?
    private var restored = 0

    init(seed: UInt64, carrier: MemoryCarrier = MemoryCarrier()) throws {
        self.carrier = carrier
        place = try TemporaryStore()
        store = try place.open()
        (events, random) = (RandomEvents(seed: seed), SplitMix64(seed: seed))
    }

    static var options: LogShipper.Options {
        var options = LogShipper.Options()
        (options.eventsPerBase, options.segmentBytes) = (150, 2000)
        return options
    }

    func record(_ batches: Int, into other: MessageStore? = nil) throws {
        let store = other ?? store
        for _ in 0..<batches {
            try store.record(events.nextBatch(after: store.lastPosition()))
            place.time.move(byMilliseconds: 10)
        }
    }

    /// Ships until it succeeds, by a new shipper now and then, as after a kill.
    func ship(base: Bool = false) async throws {
        for _ in 0..<2000 {
            if shipper == nil || random.chance(0.2) {
                shipper = LogShipper(of: store, to: carrier, options: Self.options)
            }
            do {
                try await shipper?.ship(base: base)
                return
            } catch let error as StoreError where error.code == .carrierFailed { continue }
        }
        Issue.record("nothing was shipped")
    }

    /// Restores what was shipped and compares it with the store.
    func checkRestored(equals other: MessageStore? = nil) async throws {
        let store = other ?? store
        restored += 1
        let path = place.directory + "/restored-\(restored)"
        let last = try await LogRestorer(from: carrier, key: TemporaryStore.key).restore(to: path)
        #expect(try last == store.lastPosition())
        let copy = try await MessageStore.open(
            path, account: TemporaryStore.account, configuration: place.configuration)
        #expect(try copy.digests() == store.digests())
        #expect(try await copy.events(limit: .max) == store.events(limit: .max))
        try await copy.close()
        #expect(try await MessageStore.check(path, configuration: .ofTests).isSound)
        try FileManager.default.removeItem(atPath: path)
    }

    func isAnywhere(_ word: String) -> Bool { Self.isAnywhere(word, carrier.objects) }

    static func isAnywhere(_ word: String, _ objects: [String: [UInt8]]) -> Bool {
        let word = Data(word.utf8)
        return objects.values.contains { Data($0).range(of: word) != nil }
    }
}

extension Event {
    /// A message whose text is found by it.
    static func received(text: String) -> Event {
        .received(
            "secret", from: "u1", in: .group("g1"), at: Timestamp(milliseconds: 1_700_000_000_000),
            content: .text(text))
    }
}

@Suite("Shipping a log", .timeLimit(.minutes(30)))
struct ShippingTests {
    @Test("what is restored has the same events and views, whatever the carrier loses", arguments: Seeds.first(8))
    func random(seed: UInt64) async throws {
        let scene = try ShippingScene(seed: seed)
        scene.carrier.fail(chance: seed.isMultiple(of: 2) ? 0 : 0.03, seed: seed)
        for round in 0..<12 {
            try scene.record(1 + scene.random.nextIndex(15))
            if scene.random.chance(0.3) { try redactOne(scene) }
            try await scene.ship(base: round == 7)
            guard scene.random.chance(0.3) || round == 11 else { continue }
            let chance = scene.carrier.state.withLock { state in
                defer { state.failureChance = 0 }
                return state.failureChance
            }
            try await scene.checkRestored()
            scene.carrier.fail(chance: chance, seed: seed + UInt64(round))
        }
        scene.carrier.fail(chance: 0, seed: 0)
        try await LogShipper(of: scene.store, to: scene.carrier, options: ShippingScene.options).ship()
        #expect(scene.carrier.objects.keys.count { $0.hasSuffix("manifest") } == 1)
    }

    @Test("any numbers in the options ship the log", arguments: [Int.max, 0, -1])
    func extreme(number: Int) async throws {
        let scene = try ShippingScene(seed: 1)
        var options = LogShipper.Options()
        (options.eventsPerBase, options.segmentsPerBase, options.segmentBytes) = (number, number, number)
        (options.pageCount, options.erasureInterval) = (number, .seconds(number))
        let shipper = LogShipper(of: scene.store, to: scene.carrier, options: options)
        for _ in 0..<2 {
            try scene.record(2)
            try await shipper.ship()
        }
        try await scene.checkRestored()
    }

    private func redactOne(_ scene: ShippingScene) throws {
        let messages = try scene.store.events(where: EventFilter(types: [.messageReceived]), limit: .max)
        guard !messages.isEmpty else { return }
        try scene.store.redact(messages[scene.random.nextIndex(messages.count)].position)
    }

    @Test("each object is put once, and a round without news puts nothing")
    func once() async throws {
        let scene = try ShippingScene(seed: 1)
        let shipper = LogShipper(of: scene.store, to: scene.carrier, options: ShippingScene.options)
        #expect(try await !shipper.ship().isSomething)
        try scene.record(30)
        let first = try await shipper.ship()
        #expect(try first.hasBase && first.position == scene.store.lastPosition())
        // Random events may erase something, which a base follows.
        let group = ConversationKey.group("new")
        try await scene.store.record(
            (1...20).map { number in
                .received(
                    ServerMessageID("\(number)"), from: "bob", in: group, at: Timestamp(milliseconds: number),
                    content: .text("new"))
            })
        let second = try await shipper.ship()
        #expect(!second.hasBase && second.segments > 0)
        #expect(try second.position == scene.store.lastPosition())
        let objects = scene.carrier.objects
        #expect(try await !shipper.ship().isSomething)
        #expect(
            try await !LogShipper(of: scene.store, to: scene.carrier, options: ShippingScene.options).ship().isSomething
        )
        // A new shipper puts the page and the ledger of erasures once more.
        let changed = scene.carrier.objects.filter { name, object in
            object != objects[name] && !name.hasSuffix("page") && !name.contains("/eras")
        }
        #expect(changed.isEmpty)
        try await scene.checkRestored()
    }

    @Test("a base follows many small segments, so that restoring gets few objects")
    func smallSegments() async throws {
        let scene = try ShippingScene(seed: 3)
        var options = LogShipper.Options()
        options.segmentsPerBase = 3
        let shipper = LogShipper(of: scene.store, to: scene.carrier, options: options)
        var bases: [Bool] = []
        for _ in 0..<8 {
            try scene.record(1)
            bases.append(try await shipper.ship().hasBase)
        }
        #expect(bases == [true, false, false, true, false, false, true, false])
        try await scene.checkRestored()
    }

    @Test("a damaged segment that the newest base covers stops neither a restore nor a shipper")
    func coveredSegment() async throws {
        let scene = try ShippingScene(seed: 4)
        for _ in 0..<2 {
            try scene.record(3)
            try await scene.ship()
        }
        try await scene.ship(base: true)
        let name = try #require(scene.carrier.objects.keys.filter { $0.contains("/segments/") }.max())
        scene.carrier.state.withLock { $0.objects[name]?[44] ^= 1 }
        try await scene.checkRestored()
        try scene.record(3)
        try await LogShipper(of: scene.store, to: scene.carrier, options: ShippingScene.options).ship()
        try await scene.checkRestored()
    }

    @Test("an erased word leaves segments, bases and the first page with the next round")
    func erasure() async throws {
        let scene = try ShippingScene(seed: 2)
        let shipper = LogShipper(of: scene.store, to: scene.carrier, options: ShippingScene.options)
        func message(_ id: String, _ text: String) -> Event {
            .received(
                ServerMessageID(id), from: "u1", in: .group("g1"), at: Timestamp(milliseconds: 1_700_000_000_000),
                content: .text(text))
        }
        let first = try await scene.store.record([message("a", "unmistakable one")]).lastPosition
        try scene.record(10)
        try await shipper.ship()
        try scene.record(3)
        let second = try await scene.store.record([message("b", "unmistakable two")]).lastPosition
        try scene.record(3)
        try await shipper.ship()
        #expect(scene.isAnywhere("unmistakable one") && scene.isAnywhere("unmistakable two"))
        try await scene.store.redact(second)
        #expect(try await shipper.ship().hasErased)
        #expect(!scene.isAnywhere("unmistakable two") && scene.isAnywhere("unmistakable one"))
        try await scene.checkRestored()
        try await scene.store.redact(first)
        // A new shipper finds what was erased meanwhile.
        let report = try await LogShipper(of: scene.store, to: scene.carrier, options: ShippingScene.options).ship()
        #expect(report.hasErased && report.hasBase)
        #expect(!scene.isAnywhere("unmistakable"))
        try await scene.checkRestored()
    }

    @Test("erased values leave the place as well")
    func erasedValues() async throws {
        let scene = try ShippingScene(seed: 3)
        let shipper = LogShipper(of: scene.store, to: scene.carrier, options: ShippingScene.options)
        try await scene.store.record([Event(ProfilesFetched([Profile(id: "u1", name: "Unmistakable Name")]))])
        try scene.record(10)
        try await shipper.ship()
        try await scene.store.record([Event(ProfilesFetched([Profile(id: "u1", name: "Unmistakable Other")]))])
        try await shipper.ship()
        #expect(scene.isAnywhere("Unmistakable Name") && scene.isAnywhere("Unmistakable Other"))
        _ = try await scene.store.erase(.users(["u1"]))
        try await shipper.ship()
        #expect(!scene.isAnywhere("Unmistakable"))
        try await scene.checkRestored()
    }

    @Test("the first page is the top of the list, before anything is restored")
    func page() async throws {
        let scene = try ShippingScene(seed: 4)
        #expect(try await LogRestorer(from: scene.carrier, key: TemporaryStore.key).firstPage() == nil)
        try scene.record(40)
        try await scene.ship()
        let page = try #require(try await LogRestorer(from: scene.carrier, key: TemporaryStore.key).firstPage())
        let list = try await scene.store.read { try $0.conversations(limit: 50).elements }
        #expect(page.conversations.map(\.key) == list.map(\.key))
        #expect(page.conversations.map(\.unreadMessages) == list.map(\.unread.messages))
        #expect(try page.account == TemporaryStore.account && page.position == scene.store.lastPosition())
    }

    @Test("a changed byte of any object is found, or changes nothing")
    func damage() async throws {
        let scene = try ShippingScene(seed: 5)
        try scene.record(20)
        try await scene.ship()
        try scene.record(10)
        try await scene.ship()
        let objects = scene.carrier.objects
        let digests = try scene.store.digests()
        let names = objects.keys.sorted()
        for attempt in 0..<TestSize.of(plain: 40, full: 200) {
            let name = names[attempt % names.count]
            guard var bytes = objects[name], !bytes.isEmpty else { continue }
            let place = scene.random.nextIndex(bytes.count)
            switch scene.random.nextIndex(3) {
            case 0: bytes[place] ^= UInt8(1 << scene.random.nextIndex(8))
            case 1: bytes.removeLast(bytes.count - place)
            default: bytes = Array((objects[names[scene.random.nextIndex(names.count)]] ?? []))
            }
            scene.carrier.state.withLock { state in state.objects = objects.merging([name: bytes]) { $1 } }
            let path = scene.place.directory + "/damaged"
            do {
                try await LogRestorer(from: scene.carrier, key: TemporaryStore.key).restore(to: path)
                let copy = try await MessageStore.open(
                    path, account: TemporaryStore.account, configuration: scene.place.configuration)
                #expect(try copy.digests() == digests, "\(name)")
                try await copy.close()
            } catch let error as StoreError {
                let codes: [StoreError.Code] = [
                    .segmentDamaged, .segmentMissing, .storeMissing, .lineageMismatch, .invalidArgument, .logDamaged,
                ]
                #expect(codes.contains(error.code), "\(name): \(error)")
            }
            _ = try? await LogRestorer(from: scene.carrier, key: TemporaryStore.key).firstPage()
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}
