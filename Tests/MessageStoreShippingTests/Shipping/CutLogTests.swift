import Foundation
import MessageStoreShipping
import MessageStoreTestCarriers
import MessageStoreTestKit
import Testing

@Suite("Shipping a log that ends with a cut", .timeLimit(.minutes(30)))
struct CutLogTests {
    private static let chat = ConversationKey.group("chat")

    private func receive(_ numbers: ClosedRange<Int>, into store: MessageStore) throws {
        try store.record(
            numbers.map { number in
                .received(
                    ServerMessageID("m\(number)"), from: "u1", in: Self.chat,
                    at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)),
                    content: .text("unmistakable"))
            })
    }

    /// Cuts everything off that was recorded before the last event.
    private func cut(_ store: MessageStore) throws {
        try store.record(Event(HistoryCleared(erases: true), in: Self.chat))
        try store.compact()
        let last = try store.lastPosition()
        let segment = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())").path
        let error = #expect(throws: StoreError.self) {
            try store.writeSegment(after: Position(last.rawValue - 1), to: segment)
        }
        #expect(error?.code == .positionCut)
    }

    @Test(
        "a base is put at a new place and at one that has what was cut off, and the log goes on",
        arguments: [false, true])
    func cutAtTheEnd(isKnown: Bool) async throws {
        let scene = try ShippingScene(seed: 1)
        try receive(1...20, into: scene.store)
        if isKnown { try await scene.ship() }
        for round in 1...3 {
            try cut(scene.store)
            // By the shipper that was there, by a new one, and by one that is asked for a base.
            try await scene.ship(base: round == 2)
            #expect(!scene.isAnywhere("unmistakable"))
            try await scene.checkRestored()
            let again = try await LogShipper(of: scene.store, to: scene.carrier, options: ShippingScene.options).ship()
            #expect(again.segments == 0 && !again.hasBase)
            try receive(round * 100...round * 100 + 5, into: scene.store)
            try await scene.ship()
            try await scene.checkRestored()
        }
    }

    @Test("another store takes over behind a cut, and the first one notices it")
    func takesOver() async throws {
        let scene = try ShippingScene(seed: 2)
        try receive(1...20, into: scene.store)
        try cut(scene.store)
        try await scene.ship()
        let path = scene.place.directory + "/other"
        try await LogRestorer(from: scene.carrier, key: TemporaryStore.key).restore(to: path)
        let other = try await MessageStore.open(
            path, account: TemporaryStore.account, configuration: scene.place.configuration)
        var options = ShippingScene.options
        options.takesOver = true
        try await LogShipper(of: other, to: scene.carrier, options: options).ship(base: true)
        try receive(30...35, into: other)
        try await LogShipper(of: other, to: scene.carrier, options: options).ship()
        try await scene.checkRestored(equals: other)
        let error = await #expect(throws: StoreError.self) { try await scene.ship(base: true) }
        #expect(error?.code == .lineageForked)
        try await other.close()
    }
}
