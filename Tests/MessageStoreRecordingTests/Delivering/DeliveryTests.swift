import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A14, A15, B14, B39, D3–D7, d10: deliveries", .timeLimit(.minutes(30)))
struct DeliveryTests {
    private let place: TemporaryStore
    private let store: MessageStore
    private let deliveries: Deliveries

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
        deliveries = store.deliveries()
    }

    /// What was told until now: the store is closed, which ends the streams.
    private func told(_ stream: Deliveries? = nil) async throws -> [Delivery] {
        try await store.close()
        var told: [Delivery] = []
        for await delivery in stream ?? deliveries { told.append(delivery) }
        return told
    }

    @Test("A14, B39: a message that is not kept is delivered and leaves no trace")
    func transient() async throws {
        let typing = received("t", at: 1, policy: .transient)
        #expect(try await store.record(typing).position == nil)
        #expect(try store.lastPosition() == .origin)
        #expect(try store.message("t") == nil && store.conversation() == nil)
        let told = try await told()
        #expect(told.map(\.payload) == [.message(typing, position: nil)])
        #expect(told.allSatisfy { $0.isTransient && $0.conversation == group && $0.remaining == 0 })
    }

    @Test("A15, B14: a kept message is delivered with its position, after the views show it")
    func kept() async throws {
        var iterator = deliveries.makeAsyncIterator()
        let message = received("a", at: 1, type: "app.card")
        try store.record(pinned(), message, pinned())
        let delivery = await iterator.next()
        #expect(delivery?.payload == .message(message, position: Position(2)))
        #expect(delivery?.isTransient == false)
        #expect(try store.message("a")?.id == LocalMessageID(2))
        try await store.close()
    }

    @Test("I4, B52: neither a repeat nor a message of history is delivered")
    func silence() async throws {
        try store.record(received("a", at: 1), received("a", at: 1), received("b", at: 2))
        try store.record(received("a", at: 1), received("h", at: 0, origin: .history))
        try store.record(
            received("c", at: 3, origin: .otherDevice), received("x", at: 4, policy: .transient, origin: .history))
        #expect(try await told().map(\.payload.serverID) == ["a", "b", "c"])
    }

    @Test(
        "D4, D7, d10: the messages of a package are delivered one by one and counted down; all of them are in its account"
    )
    func package() async throws {
        try await store.record(received("old", at: 1))
        let events = [
            received("a", at: 1, origin: .offline), received("t", at: 2, policy: .transient, origin: .offline),
            pinned(),
            received("b", at: 3, origin: .offline), received("old", at: 1, origin: .offline),
        ]
        let result = try await store.ingest(
            OfflinePackage(index: 0, events: events, unstoredMessages: 2, hasMore: false))
        #expect(result.positions == [Position(2), nil, Position(3), Position(4), Position(1)])
        #expect(result.duplicates == 1 && result.lastPosition == Position(5))
        #expect(try await store.read { try $0.syncProgress() }.messages == 6)
        let told = try await told().dropFirst()
        #expect(told.map(\.payload.serverID) == ["a", "t", "b"])
        #expect(told.map(\.remaining) == [2, 1, 0])
        #expect(told.map(\.isTransient) == [false, true, false])
    }

    @Test("I6: a batch that breaks a rule is not told, also where the message is not kept", arguments: [true, false])
    func brokenBatch(isStored: Bool) async throws {
        let broken = received("", at: 2, policy: isStored ? .standard : .transient)
        expectError(.invalidArgument) { try store.record(received("a", at: 1), broken) }
        #expect(try store.lastPosition() == .origin)
        #expect(try await told().isEmpty)
    }

    @Test("A22, B39, B46: notices are delivered to every listener and never recorded")
    func notices() async throws {
        let second = store.deliveries()
        let notices: [EphemeralNotice] = [
            .typing("bob"), .uploadProgress(LocalMessageID(1), fraction: 0.5), .onlineCount(12),
        ]
        for notice in notices { store.publish(notice, in: peer) }
        #expect(try store.lastPosition() == .origin)
        for stream in [deliveries, second] {
            let told = try await told(stream)
            #expect(told.map(\.payload) == notices.map { .notice($0) })
            #expect(told.allSatisfy { $0.isTransient && $0.conversation == peer })
        }
    }

    @Test("D1: a slow listener loses the oldest and holds back nobody; one that is gone is forgotten")
    func slowListener() async throws {
        let short = store.deliveries(bufferingNewest: 3)
        do { _ = store.deliveries() }
        for count in 1...10 { store.publish(.onlineCount(count), in: group) }
        let told = try await told(short)
        #expect(told.map(\.payload) == [8, 9, 10].map { .notice(.onlineCount($0)) })
        #expect(short.droppedCount == 7 && deliveries.droppedCount == 0)
        var late = store.deliveries().makeAsyncIterator()
        #expect(await late.next() == nil, "a closed store tells nothing")
    }
}

@Suite("X15, E24: what plug-ins hear", .timeLimit(.minutes(30)))
struct PlugInDeliveryTests {
    @Test("X15, E24: a slow plug-in hears 10,000 transparent and kept messages, all of them and in order")
    func slowPlugIn() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let heard = store.deliveries()
        let ids = (0..<10_000).map { ServerMessageID("m\($0)") }
        for first in stride(from: 0, to: ids.count, by: 500) {
            let batch = ids[first..<first + 500].enumerated().map { index, id in
                received(id, at: Int64(first + index + 1), policy: index % 5 == 0 ? .standard : .transient)
            }
            try await store.record(batch)
        }
        try await store.close()
        var told: [ServerMessageID?] = []
        for await delivery in heard { told.append(delivery.payload.serverID) }
        #expect(told == ids)
        #expect(heard.droppedCount == 0)
    }

    @Test("X15: a listener that is too slow is a warning, once, without names or texts")
    func warning() async throws {
        let place = try TemporaryStore()
        let lines = LoggedLines()
        let store = try place.open { $0.logger = lines.logger }
        let short = store.deliveries(bufferingNewest: 2)
        for count in 1...5 { store.publish(.onlineCount(count), in: .group("secret")) }
        let warnings = lines.all.filter { $0.message.contains("too slow") }
        #expect(warnings.count == 1 && !"\(warnings)".contains("secret"))
        #expect(short.droppedCount == 3)
        try await store.close()
    }
}

extension Delivery.Payload {
    fileprivate var serverID: ServerMessageID? {
        guard case .message(let event, _) = self, let message = event.payload as? MessageReceived else { return nil }
        return message.serverID
    }
}
