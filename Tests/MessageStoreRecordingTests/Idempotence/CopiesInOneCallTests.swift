import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// What copies of a message tell in the call that tells of the message: as if every event had its own call.
@Suite("I4: copies in one call and one by one")
struct CopiesInOneCallTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Calls before.
        var before: [Event] = []
        let call: [Event]
        /// How many events the log has then, and the time and flags of its only message.
        let logged: Int
        var time: Int64 = 50
        var flags: MessageFlags = []
    }

    private static func copy(
        _ type: ContentType = .image, _ id: ServerMessageID = "s", at time: Int64 = 50, from sender: UserID = "me",
        token: ClientToken? = nil,
        flags: MessageFlags? = nil
    ) -> Event {
        Event(
            MessageReceived(
                serverID: id, sender: sender, sentTime: time == 0 ? .unknown : ms(time),
                content: MessageContent(type: type, text: "x"), clientToken: token, flags: flags), in: group,
            origin: .live)
    }

    private static let queued = Event(
        MessageSendQueued(content: MessageContent(type: .image, text: "x"), clientToken: "t"), in: group)
    /// The message that is queued first.
    private static let first = LocalMessageID(1)

    private static func sent(at time: Int64? = nil) -> Event {
        Event(MessageSent(message: first, serverID: "s", sentTime: time.map { ms($0) }), in: group)
    }

    private static func told(
        _ flags: MessageFlags, _ message: MessageReference = .server("s"), in conversation: ConversationKey = group
    ) -> Event {
        Event(MessageStatusFlagsSet([message], flags: flags), in: conversation)
    }

    static let cases = [
        Case(
            testDescription: "an echo by token with flags, then one without token", before: [queued],
            call: [copy(token: "t", flags: .downloaded), copy()], logged: 3, flags: .downloaded),
        Case(
            testDescription: "a time told of a message that nobody acknowledged is none", before: [queued],
            call: [
                Event(MessageSnapshotReceived(.local(first), sentTime: ms(60)), in: group), sent(), copy(at: 70),
            ], logged: 4, time: 70),
        Case(
            testDescription: "an echo whose time is unknown tells none", before: [queued, copy(at: 0)],
            call: [sent(), copy(at: 70)], logged: 4, time: 70),
        Case(
            testDescription: "an echo in the same call whose time is known", before: [queued],
            call: [copy(at: 60), sent(), copy(at: 70)], logged: 3, time: 60),
        Case(
            testDescription: "flags told of a message before it comes",
            call: [told(.read), copy(from: "bob"), copy(from: "bob", flags: .read)], logged: 2, flags: .read),
        Case(
            testDescription: "flags told before, by an earlier call", before: [told(.retrieved)],
            call: [copy(from: "bob"), copy(from: "bob", flags: .retrieved)], logged: 2, flags: .retrieved),
        Case(
            testDescription: "flags told before, and the acknowledgement in the call",
            before: [queued, told(.retrieved)], call: [sent(at: 50), copy(flags: .retrieved)], logged: 3,
            flags: .retrieved),
        Case(
            testDescription: "the flags of an echo that is replaced", before: [queued, copy(flags: .retrieved)],
            call: [sent(at: 50), copy(flags: .retrieved)], logged: 3, flags: .retrieved),
        Case(
            testDescription: "flags told before under another id that the token tells to be the message's",
            before: [queued, sent(at: 50), told(.retrieved, .server("s2"))],
            call: [copy(.image, "s2", token: "t", flags: .retrieved)], logged: 4, flags: .retrieved),
        Case(
            testDescription: "flags of an echo that the call tells by its local id", before: [queued, copy()],
            call: [told(.retrieved, .local(LocalMessageID(2))), sent(at: 50), copy(flags: .retrieved)], logged: 4,
            flags: .retrieved),
        Case(
            testDescription: "flags told in another conversation are of no message", before: [queued, sent(at: 50)],
            call: [told(.retrieved, .local(first), in: peer), copy(flags: .retrieved)], logged: 4,
            flags: .retrieved),
        Case(
            testDescription: "flags that the type of the message cannot have",
            call: [copy(.text, from: "bob"), copy(.audio, from: "bob", flags: .listened)], logged: 1),
    ]

    @Test("I3, I4, d39: time and flags of a message, and what is recorded of them", arguments: cases)
    func both(_ test: Case) throws {
        var logs: [[AnyHashable]] = []
        for isOneCall in [true, false] {
            try withTemporaryStore { store throws in
                for event in test.before { try store.record(event) }
                if isOneCall {
                    try store.record(test.call)
                } else {
                    for event in test.call { try store.record(event) }
                }
                let message = try #require(try store.page().elements.first)
                #expect(try store.page().elements.count == 1)
                #expect(message.time == ms(test.time) && !message.isTimeProvisional && message.flags == test.flags)
                logs.append(try store.events(limit: .max).map { AnyHashable($0.event.payload) })
            }
        }
        #expect(logs[0].count == test.logged)
        #expect(logs[0] == logs[1])
    }
}
