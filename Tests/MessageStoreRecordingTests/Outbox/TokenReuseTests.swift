import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A client token belongs to one message", .store)
struct TokenReuseTests {
    @Test("d12: the same message is queued once; another one with its token is an error that names both")
    func reuse() throws {
        let first = try store.send(MessageSendQueued(content: .text("one"), clientToken: "t"), to: group)
        #expect(try store.send(MessageSendQueued(content: .text("one"), clientToken: "t"), to: group) == first)
        let last = try store.lastPosition()
        let others = [
            queued("two", token: "t"), queued("one", token: "t", in: peer),
            .queued(MessageContent(type: .image, text: "one"), in: group, clientToken: "t"),
        ]
        for other in others {
            let error = #expect(throws: StoreError.self) { try store.record([received("x", at: 1), other]) }
            #expect(error?.code == .tokenReused)
            #expect(error?.position?.rawValue == first.rawValue)
            #expect(error?.message.contains("event 1") == true && error?.message.contains("two") == false)
        }
        #expect(try store.lastPosition() == last, "nothing of the call is recorded")
        expectError(.tokenReused) { try store.record(queued("a", token: "u"), queued("b", token: "u")) }
    }

    @Test("d12: a token is known after a restart, and an echo with other words is still the acknowledgement")
    func later() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(queued("one", token: "t"), received("s", at: 5, from: "me", text: "ONE", token: "t"))
            #expect(try store.outbox().isEmpty)
        }
        try place.withStore { store throws in
            expectError(.tokenReused) { try store.record(queued("two", token: "t")) }
            try store.record(queued("one", token: "t"))
            #expect(try store.outbox().isEmpty)
        }
    }

    @Test("d12: a token that a message of another device had first belongs to that one", arguments: [false, true])
    func otherDevice(isOneCall: Bool) throws {
        let other = Event.received(
            "s", from: TemporaryStore.account, in: group, at: ms(5), content: .text("one"), clientToken: "t",
            senderProfile: SenderProfile(name: "Me"))
        if !isOneCall { try store.record([other]) }
        let first = isOneCall ? [other] : []
        for event in [queued("two", token: "t"), queued("one", token: "t", in: peer)] {
            let error = #expect(throws: StoreError.self) { try store.record(first + [event]) }
            #expect(error?.code == .tokenReused && error?.position == Position(1))
            #expect(error?.message.contains("message 1") == true)
        }
        // The message itself, of which the copy came first, is that copy.
        let content = MessageSendQueued(
            content: .text("one"), clientToken: "t", context: MessageContext(pushText: "push"))
        #expect(try store.record(first + [Event(content, in: group)]).positions.last == Position(1))
        #expect(try store.texts() == ["one"] && store.outbox().isEmpty)
    }
}
