import MessageStore
import Testing

@Suite("I4: the echo of an own message")
struct OwnEchoTests {
    private func echo(_ id: ServerMessageID, at time: Int64, token: ClientToken? = nil) -> Event {
        received(id, at: time, from: TemporaryStore.account, text: "mine", token: token, origin: .otherDevice)
    }

    @Test("I4: an echo with the token acknowledges the queued message, whatever became of the acknowledgement")
    func echoAcknowledges() throws {
        try withTemporaryStore { store throws in
            let local = try store.local(queued("mine", token: "t"))
            let result = try store.record([echo("s1", at: 50, token: "t")])
            #expect(result.positions == [Position(local.rawValue)])
            #expect(result.duplicates == 1)
            let message = try #require(try store.message(local))
            #expect(message.status == .sent)
            #expect(message.serverID == "s1")
            #expect(message.time == ms(50))
            #expect(try store.outbox().isEmpty)
            #expect(try store.texts() == ["mine"])
        }
    }

    @Test("I4: after the echo, acknowledgement and further echoes change nothing", arguments: [false, true])
    func echoTwice(isOneBatch: Bool) throws {
        try withTemporaryStore { store throws in
            let local = try store.local(queued("mine", token: "t"))
            if isOneBatch {
                try store.record([echo("s1", at: 50, token: "t"), echo("s1", at: 50, token: "t")])
            } else {
                try store.record([echo("s1", at: 50, token: "t")])
                try store.record([echo("s1", at: 50, token: "t")])
            }
            #expect(try store.lastPosition() == Position(2), "one queued event and one acknowledgement")
            let views = try store.message(local)
            try store.record(sent(local, "s1", at: 60))
            try store.record(echo("s1", at: 50))
            #expect(try store.message(local) == views)
            #expect(try store.texts() == ["mine"])
        }
    }

    @Test("I4: an echo without token that comes before the acknowledgement is replaced by the queued message")
    func acknowledgementAfterEcho() throws {
        try withTemporaryStore { store throws in
            let local = try store.local(queued("mine"))
            let twin = try store.local(echo("s1", at: 50))
            #expect(try store.page().messages.count == 2)
            try store.record(sent(local, "s1", at: 50))
            #expect(try store.page().messages.map(\.id) == [local])
            #expect(try store.message("s1")?.id == local)
            #expect(try store.message(twin) == nil)
            #expect(try store.isConsistent())
        }
    }

    @Test("d18: what was told of the echo is kept when the queued message takes its place")
    func factsOfTheEcho() throws {
        try withTemporaryStore { store throws in
            let local = try store.local(queued("mine"))
            try store.record(echo("s1", at: 50), readByPeer(.messages([.server("s1")]), at: 70))
            try store.record(modified("s1", "better", at: 60))
            try store.record(sent(local, "s1", at: 50))
            let message = try #require(try store.message("s1"))
            #expect(message.id == local)
            #expect(message.status == .read)
            #expect(message.readTime == ms(70))
            #expect(message.content.text == "better")
        }
    }

    @Test("I4: an acknowledgement and an echo without token in one package are one message", arguments: [false, true])
    func acknowledgementAndEchoTogether(echoIsFirst: Bool) throws {
        try withTemporaryStore { store throws in
            let local = try store.local(queued("mine"))
            let events = [sent(local, "s1", at: 50), echo("s1", at: 50)]
            try store.record(echoIsFirst ? events.reversed() : events)
            #expect(try store.page().messages.map(\.id) == [local])
            #expect(try store.message("s1")?.id == local)
            #expect(try store.message("s1")?.status == .sent)
        }
    }
}
