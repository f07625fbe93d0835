import MessageStore
import Testing

@Suite("A14, A15, B14, B39, D3–D7, d10: deliveries", .timeLimit(.minutes(30)))
struct DeliveryTests {
    private let place: TemporaryStore
    private let store: MessageStore
    private let deliveries: AsyncStream<Delivery>

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
        deliveries = store.deliveries()
    }

    /// What was told until now: the store is closed, which ends the streams.
    private func told(_ stream: AsyncStream<Delivery>? = nil) async throws -> [Delivery] {
        try await store.close()
        var told: [Delivery] = []
        for await delivery in stream ?? deliveries { told.append(delivery) }
        return told
    }

    @Test("A14, B39: a message that is not kept is told and leaves no trace")
    func transient() async throws {
        let typing = received("t", at: 1, policy: .transient)
        #expect(try await store.record(typing) as Position? == nil)
        #expect(try store.lastPosition() == .origin)
        #expect(try store.message("t") == nil && store.conversation() == nil)
        let told = try await told()
        #expect(told.map(\.payload) == [.message(typing, position: nil)])
        #expect(told.allSatisfy { $0.isTransient && $0.conversation == group && $0.remaining == 0 })
    }

    @Test("A15, B14: a kept message is told with its position, after the views show it")
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

    @Test("I4, B52: neither a repeat nor a message of history is told")
    func silence() async throws {
        try store.record(received("a", at: 1), received("a", at: 1), received("b", at: 2))
        try store.record(received("a", at: 1), received("h", at: 0, origin: .history))
        try store.record(
            received("c", at: 3, origin: .otherDevice), received("x", at: 4, policy: .transient, origin: .history))
        #expect(try await told().map(\.payload.serverID) == ["a", "b", "c"])
    }

    @Test("D4, D7, d10: the messages of a package are told one by one and counted down; all of them are in its account")
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

    @Test("A22, B39, B46: notices are told to every listener and never recorded")
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
        var late = store.deliveries().makeAsyncIterator()
        #expect(await late.next() == nil, "a closed store tells nothing")
    }
}

extension Delivery.Payload {
    fileprivate var serverID: ServerMessageID? {
        guard case .message(let event, _) = self, let message = event.payload as? MessageReceived else { return nil }
        return message.serverID
    }
}
