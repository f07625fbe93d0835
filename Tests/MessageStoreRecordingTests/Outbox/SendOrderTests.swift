import MessageStore
import MessageStoreLMDB
import MessageStoreWorkload
import Testing
@testable import MessageStoreTestSupport

@Suite("E20: the order in which messages are sent", .timeLimit(.minutes(30)))
struct SendOrderTests {
    private let place: TemporaryStore
    private let store: MessageStore

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
    }

    @discardableResult
    private func queue(_ text: String, _ order: SendOrder = .standard) throws -> LocalMessageID {
        try store.send(
            MessageSendQueued(content: .text(text), clientToken: ClientToken(text), order: order), to: group)
    }

    private func record(_ events: Event...) throws { try store.record(events) }

    private func due() throws -> DueMessages { try store.read { try $0.dueMessages(at: place.time.now) } }

    /// Sends what is due; the server refuses some texts.
    private func send(refusing refused: Set<String> = []) async throws -> [String] {
        var sent: [String] = []
        try await store.sendOutbox { message in
            let text = message.text ?? ""
            sent.append(text)
            return refused.contains(text) ? .refused(code: 1) : .accepted(as: ServerMessageID("s-" + text), at: ms(1))
        }
        return sent
    }

    @Test("a higher priority goes first, also if it is queued meanwhile; of equal ones the one that was queued first")
    func priorities() async throws {
        for (text, priority) in [("a", 0), ("b", 5), ("c", -1), ("d", 5), ("e", Int32.max)] {
            try queue(text, SendOrder(priority: Int32(priority)))
        }
        var sent: [String] = []
        try await store.sendOutbox { message in
            sent.append(message.text ?? "")
            if sent.count == 3 { try queue("urgent", SendOrder(priority: 9)) }
            return .accepted(as: ServerMessageID("s\(sent.count)"), at: ms(1))
        }
        #expect(sent == ["e", "b", "d", "urgent", "a", "c"])
    }

    @Test("a message waits for its time; the call ends, and the next time says when to call again")
    func times() async throws {
        let later = Timestamp(milliseconds: place.time.now.milliseconds + 60_000)
        let latest = Timestamp(milliseconds: later.milliseconds + 1)
        let second = try queue("b", SendOrder(notBefore: latest))
        let first = try queue("a", SendOrder(notBefore: later))
        try queue("c")
        #expect(try await send() == ["c"])
        let waiting = try due()
        #expect(waiting.due.isEmpty && waiting.nextTime == later)
        #expect(waiting.waiting.map(\.message.id) == [second, first])
        #expect(waiting.waiting.map(\.obstacle) == [.time(latest), .time(later)])
        place.time.set(later)
        #expect(try await send() == ["a"])
        place.time.set(latest)
        #expect(try await send() == ["b"])
        let left = try due()
        #expect(left.due.isEmpty && left.waiting.isEmpty && left.nextTime == nil)
    }

    @Test(
        "a message follows another: once that is accepted, not while it fails, and not after it was deleted or recalled"
    )
    func followers() async throws {
        let first = try queue("first")
        let second = try queue("second", SendOrder(priority: 9, after: first))
        let third = try queue("third", SendOrder(priority: 99, after: second))
        #expect(try await send(refusing: ["first"]) == ["first"])
        #expect(
            try due().waiting.map(\.obstacle) == [.message(first, .failed), .message(second, .sending)])
        try record(.sendRetried(first, in: group))
        #expect(try due().due.map(\.id) == [first])
        #expect(try await send(refusing: ["second"]) == ["first", "second"])
        try record(Event(MessagesDeleted([.local(second)]), in: group))
        #expect(try due().waiting.map(\.obstacle) == [.removedMessage(second)])
        #expect(try await send().isEmpty)
        // Whoever removes the first of two decides for the other one.
        try record(Event(MessagesDeleted([.local(third)]), in: group))
        let sent = try #require(try store.message("s-first")?.id)
        try queue("late", SendOrder(after: sent))
        try record(Event(MessagesDeleted([.local(sent)]), in: group))
        #expect(try await send() == ["late"], "a message that was accepted and then deleted holds up nothing")
        let recalled = try queue("recalled")
        try record(
            .sendFailed(recalled, in: group, code: 1), .recalled(.local(recalled), in: group, origin: .local))
        try queue("after a recall", SendOrder(after: recalled))
        #expect(try due().waiting.map(\.obstacle) == [.removedMessage(recalled)])
    }

    @Test("ids that are of no message to send hold up nothing")
    func unknown() async throws {
        try record(received("x", at: 1))
        for local in [LocalMessageID(1), LocalMessageID(0), LocalMessageID(.max)] {
            try queue("after \(local)", SendOrder(after: local))
        }
        #expect(try await send().count == 3)
    }

    @Test("random orders: each message that is sent is the one that the rules name", arguments: Seeds.first(5))
    func random(seed: UInt64) async throws {
        struct Queued {
            let id: LocalMessageID
            let order: SendOrder
            var status = MessageStatus.sending
        }
        var random = SplitMix64(seed: seed)
        var queued: [Queued] = []
        func next() -> Queued? {
            queued.filter { message in
                let first = message.order.after.flatMap { after in queued.first { $0.id == after } }
                return message.status == .sending && message.order.notBefore.map { $0 <= place.time.now } ?? true
                    && first.map { $0.status == .sent } ?? true
            }.min { ($1.order.priority, $0.id) < ($0.order.priority, $1.id) }
        }
        for round in 0..<TestSize.of(plain: 3, full: 10) {
            for index in 0..<20 {
                let after = random.chance(0.4) ? queued.randomElement(using: &random)?.id : nil
                let wait = random.chance(0.2) ? Int64.random(in: 0...5, using: &random) : nil
                let order = SendOrder(
                    priority: Int32.random(in: -1...1, using: &random),
                    notBefore: wait.map { Timestamp(milliseconds: place.time.now.milliseconds + $0) }, after: after)
                queued.append(Queued(id: try queue("\(round) \(index)", order), order: order))
            }
            try await store.sendOutbox { message in
                let expected = next()
                #expect(expected?.id == message.id)
                guard let index = queued.firstIndex(where: { $0.id == message.id }) else { return .refused(code: 0) }
                if Int.random(in: 0..<4, using: &random) == 0 {
                    queued[index].status = .failed
                    return .refused(code: 2)
                }
                queued[index].status = .sent
                return .accepted(as: ServerMessageID("s\(message.id)"), at: ms(1))
            }
            #expect(next() == nil)
            let waiting = try due().waiting.map(\.message.id)
            #expect(waiting == queued.filter { $0.status == .sending }.map(\.id))
            place.time.move(byMilliseconds: 3)
        }
    }
}
