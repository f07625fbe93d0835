import MessageStoreLog
import MessageStoreShipping
import MessageStoreTestCarriers
import MessageStoreTestKit
import Testing

@Suite("How often erased words cost a base", .timeLimit(.minutes(30)))
struct ErasureIntervalTests {
    @Test("while a shipper runs they leave segments at once, and a base once an interval; a call does both at once")
    func interval() async throws {
        let scene = try ShippingScene(seed: 6)
        var positions: [Position] = []
        for number in 0..<5 { positions.append(try await record("a\(number)", "in a base \(number)", scene)) }
        try scene.record(10)
        let shipper = LogShipper(of: scene.store, to: scene.carrier, options: options(.seconds(3600)))
        let running = Task { try await shipper.run() }
        defer { running.cancel() }
        await scene.carrier.wait { !Self.bases($0).isEmpty }
        let base = bases(scene)
        positions.append(try await record("b", "in a segment", scene))
        await scene.carrier.wait { Self.isInSegment("in a segment", $0) }
        for position in positions {
            let before = Self.ledgers(scene.carrier.objects)
            try await scene.store.redact(position)
            await scene.carrier.wait { Self.ledgers($0) != before }
        }
        await scene.carrier.wait { !ShippingScene.isAnywhere("in a segment", $0) }
        // Two rounds more put no base.
        for id in ["c", "d"] {
            _ = try await record(id, "after it \(id)", scene)
            await scene.carrier.wait { Self.isInSegment("after it \(id)", $0) }
        }
        #expect(bases(scene) == base)
        #expect(scene.isAnywhere("in a base 4"))
        // Whoever restores leaves them out.
        try await scene.checkRestored()
        try await shipper.ship()
        #expect(bases(scene).isDisjoint(with: base))
        #expect(!scene.isAnywhere("in a base"))
        // Nothing is left to be done.
        let objects = scene.carrier.objects
        try await shipper.ship()
        #expect(scene.carrier.objects == objects)
        try await scene.checkRestored()
    }

    @Test("a base follows when the interval is over; one that is due anyway serves as well", arguments: [true, false])
    func afterwards(_ isDue: Bool) async throws {
        let scene = try ShippingScene(seed: 7)
        let position = try await record("a", "unmistakable", scene)
        try scene.record(10)
        var options = options(isDue ? .seconds(3600) : .milliseconds(200))
        if isDue { options.eventsPerBase = 100 }
        let shipper = LogShipper(of: scene.store, to: scene.carrier, options: options)
        let running = Task { try await shipper.run() }
        defer { running.cancel() }
        await scene.carrier.wait { !Self.bases($0).isEmpty }
        let before = Self.ledgers(scene.carrier.objects)
        try await scene.store.redact(position)
        await scene.carrier.wait { Self.ledgers($0) != before }
        // Enough for a base, and not for a second one.
        let due = try scene.store.lastPosition().rawValue + 100
        while isDue, try scene.store.lastPosition().rawValue < due { try scene.record(1) }
        await scene.carrier.wait { !ShippingScene.isAnywhere("unmistakable", $0) }
        running.cancel()
        try? await running.value
        let base = bases(scene)
        #expect(base.count == 1)
        try await shipper.ship()
        #expect(bases(scene) == base)
        try await scene.checkRestored()
    }

    private func options(_ interval: Duration) -> LogShipper.Options {
        var options = ShippingScene.options
        (options.interval, options.erasureInterval) = (.milliseconds(5), interval)
        options.eventsPerBase = .max
        return options
    }

    private func record(_ id: String, _ text: String, _ scene: ShippingScene) async throws -> Position {
        let event = Event.received(
            ServerMessageID(id), from: "u1", in: .group("g1"), at: Timestamp(milliseconds: 1_700_000_000_000),
            content: .text(text))
        return try await scene.store.record([event]).lastPosition
    }

    private static func bases(_ objects: [String: [UInt8]]) -> Set<String> {
        Set(objects.keys.filter { $0.hasSuffix("manifest") })
    }

    private func bases(_ scene: ShippingScene) -> Set<String> { Self.bases(scene.carrier.objects) }

    /// The page of the list, which an erasure puts anew, has the words of events that no segment has yet.
    private static func isInSegment(_ word: String, _ objects: [String: [UInt8]]) -> Bool {
        ShippingScene.isAnywhere(word, objects.filter { $0.key.contains("/segments/") })
    }

    private static func ledgers(_ objects: [String: [UInt8]]) -> Set<String> {
        Set(objects.keys.filter { $0.contains("/erasures/") })
    }
}
