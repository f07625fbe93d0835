import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("E20: sending what waits", .timeLimit(.minutes(30)))
struct SendOutboxTests {
    private struct NoAnswer: Error {}

    private let place: TemporaryStore
    private let store: MessageStore
    private let clock = ManualClock()

    init() throws {
        place = try TemporaryStore()
        store = try place.open { [clock] in $0.clock = clock }
    }

    private func queue(_ texts: String...) throws {
        for text in texts {
            _ = try store.send(MessageSendQueued(content: .text(text), clientToken: ClientToken(text)), to: group)
        }
    }

    private func statuses() throws -> [String: MessageStatus] {
        let messages = try store.read { try $0.timeline(of: group, limit: 100).elements }
        return Dictionary(messages.map { ($0.text ?? "", $0.status) }) { first, _ in first }
    }

    @Test("messages are sent oldest first, also new ones meanwhile; refused ones wait until they are retried")
    func answers() async throws {
        try queue("a", "b", "c")
        var sent: [String] = []
        let send: (Message) throws -> SendAnswer = { message in
            let text = message.text ?? ""
            #expect(message.clientToken == ClientToken(text))
            sent.append(text)
            if sent == ["a"] { try queue("d") }
            return text == "b" && sent.count < 5
                ? .refused(code: 403) : .accepted(as: ServerMessageID("s-\(text)"), at: ms(Int64(sent.count)))
        }
        #expect(try await store.sendOutbox(by: send) == 3)
        #expect(sent == ["a", "b", "c", "d"])
        #expect(try statuses() == ["a": .sent, "b": .failed, "c": .sent, "d": .sent])
        #expect(try await store.sendOutbox(by: send) == 0)
        let refused = try #require(try await store.read { try $0.outbox().first })
        #expect(refused.text == "b" && refused.failureCode == 403)
        try await store.record(.sendRetried(refused.id, in: group))
        #expect(try await store.sendOutbox(by: send) == 1)
        #expect(try statuses()["b"] == .sent && store.message("s-b")?.order == MessageOrder(time: ms(5), id: "s-b"))
    }

    @Test("a message without an answer is sent again after doubled delays, and still waits after the last attempt")
    func backOff() async throws {
        try queue("a", "b")
        let attempts = Locked([(text: String?, at: Duration)]())
        let backOff = BackOff(delay: .seconds(1), longestDelay: .seconds(3), attempts: 5, jitter: 1...1)
        let call = Task { [store, clock] in
            try await store.sendOutbox(backOff: backOff) { message in
                attempts.withLock { $0.append((message.text, clock.now.offset)) }
                throw NoAnswer()
            }
        }
        for moment in [1, 3, 6, 9] {
            await clock.waitForSleeper(until: .seconds(moment))
            clock.advance(by: .seconds(moment) - clock.now.offset)
        }
        await #expect(throws: NoAnswer.self) { try await call.value }
        #expect(attempts.withLock { $0.map(\.at) } == [0, 1, 3, 6, 9].map { .seconds($0) })
        #expect(attempts.withLock { $0.allSatisfy { $0.text == "a" } }, "the order is kept")
        #expect(try statuses() == ["a": .sending, "b": .sending])
        #expect(try store.lastPosition() == Position(2), "no answer is no event")
    }

    @Test("a cancelled call ends while it waits, and a message that was deleted meanwhile is not sent")
    func cancelled() async throws {
        try queue("a")
        let call = Task { [store] in
            try await store.sendOutbox(backOff: BackOff(jitter: 1...1)) { _ in throw NoAnswer() }
        }
        await clock.waitForSleeper(until: .seconds(1))
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        try queue("b")
        let accepted = try await store.sendOutbox { message in
            #expect(message.text == "a")
            try await store.record(.deleted([.local(LocalMessageID(2))], in: group))
            return .accepted(as: "s-a", at: nil)
        }
        #expect(accepted == 1)
    }
}
