import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("X1: queries over conversations by any condition")
struct GeneratedQueryTests {
    private static let queriesPerStore = 50

    @Test(
        "X1, B49: generated queries find, count and order what a plain filter over the events does",
        arguments: Seeds.first(4))
    func generated(seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try place.open(account: RandomEvents.account)
        var random = SplitMix64(seed: seed)
        var events = RandomEvents(seed: seed)
        var model = StoreModel(account: RandomEvents.account)
        while model.log.count < 600 {
            // The world has few conversations: what happens in one happens in one of its twelve twins.
            let batch = events.nextBatch(after: model.lastPosition).map { event in
                guard let key = event.conversation else { return event }
                var event = event
                // The messages of one token stay in one conversation.
                let token = event.clientToken
                let twin = token.map { $0.rawValue.utf8.reduce(0) { $0 + Int($1) } % 12 } ?? random.nextIndex(12)
                event.conversation = ConversationKey(key.kind, "\(key.id)-\(twin)")
                return event
            }
            place.time.move(byMilliseconds: Int64(random.nextIndex(2_000)))
            try store.record(batch)
            _ = model.record(batch, at: place.time.now)
        }
        try store.read { views in
            for _ in 0..<Self.queriesPerStore {
                let query = random.conversationQuery(model)
                try compareQuery(query, limit: 1 + random.nextIndex(20), views, model)
            }
        }
        #expect(try store.isConsistent())
        try store.close()
    }
}

extension Event {
    fileprivate var clientToken: ClientToken? {
        switch payload {
        case let queued as MessageSendQueued: queued.clientToken
        case let received as MessageReceived: received.clientToken
        default: nil
        }
    }
}
