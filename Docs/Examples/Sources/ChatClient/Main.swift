import Foundation
import MessageStore

/// A chat client from the first sign-in to a restart; exits with 1 where it does not end as expected.
@main
struct Main {
    static let friends = ConversationKey.group("friends")
    static let work = ConversationKey.group("work")

    static func main() async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/chat-client-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = Server()
        for number in 1...200 { await server.write("hello \(number)", from: "bob", in: "friends") }
        await server.markRead("friends", upTo: 1_700_000_000_000 + 190_000)
        await server.write("the meeting is at ten", from: "carol", in: "work")

        var script = Script()
        try await script.signIn(directory, server)
        try await script.restart(directory, server)
        guard script.failures.isEmpty else {
            print("\(script.failures.count) expectations failed")
            exit(1)
        }
        print("all is as expected")
    }
}

/// What happens, step by step, and what did not turn out.
struct Script {
    private(set) var failures: [String] = []

    private mutating func expect(_ isTrue: Bool, _ what: String) {
        print(isTrue ? "  ok    \(what)" : "  FAIL  \(what)")
        if !isTrue { failures.append(what) }
    }

    mutating func signIn(_ directory: String, _ server: Server) async throws {
        print("first sign-in")
        let client = try Client(directory: directory, server: server)
        let store = client.store
        let app = await AppModel()
        await app.signIn(store)
        var (pushes, count) = try await client.connect()
        expect(count == 120, "the newest 120 messages are synced in packages")
        await app.waitFor(badge: 11, first: "work: the meeting is at ten")
        expect(await app.changes > 1, "the list followed the sync")
        await app.open(Main.friends, in: store)
        await app.chat?.loaded()
        expect(await app.chat?.messages.last?.text == "hello 200", "the open conversation shows its newest messages")

        print("paging back")
        let history = try await client.wholeHistory(of: Main.friends)
        expect(history.compactMap(\.text) == (1...200).map { "hello \($0)" }, "all 200 messages, oldest first")
        let badge = try await store.read { try $0.unreadTotals().badge }
        expect(badge == 11, "history below the server's read state does not raise the badge")

        print("reading")
        try await client.markRead(Main.friends)
        expect(try await store.read { try $0.unread(of: Main.friends).messages } == 0, "nothing is unread")
        expect(await server.readState()["friends"] == 1_700_000_200_000, "the server knows")

        try await send(client, server, &pushes)
        _ = try await client.send("sent after the restart", token: "t3", to: Main.work)
        await server.disconnect()
        try await store.close()
    }

    private mutating func send(_ client: Client, _ server: Server, _ pushes: inout AsyncStream<Server.Push>)
        async throws
    {
        print("sending")
        let store = client.store
        var incoming = pushes.makeAsyncIterator()
        let first = try await client.send("on my way", token: "t1", to: Main.work)
        expect(try await store.read { try $0.message(first)?.status } == .sending, "shown before it is sent")
        await server.misbehave(failures: 2)
        expect(try await client.sendOutbox() == 0, "two failures, then it is sent")
        if let push = await incoming.next() { try await client.receive(push) }

        let second = try await client.send("ten minutes", token: "t2", to: Main.work)
        await server.misbehave(lostAnswers: 1)
        expect(try await client.sendOutbox(attempts: 1) == 1, "the answer is lost")
        expect(try await store.read { try $0.message(second)?.status } == .sending, "and the message still waits")
        if let push = await incoming.next() { try await client.receive(push) }
        expect(try await store.read { try $0.message(second)?.status } == .sent, "until its echo comes")
        expect(try await client.sendOutbox() == 0, "nothing is left to send")
        let texts = try await store.read { try $0.timeline(of: Main.work).elements.compactMap(\.text) }
        expect(texts == ["the meeting is at ten", "on my way", "ten minutes"], "each message stands there once")

        await server.read(by: "carol", in: "work")
        if let push = await incoming.next() { try await client.receive(push) }
        let statuses = try await store.read { try $0.timeline(of: Main.work).elements.suffix(2).map(\.status) }
        expect(statuses == [.read, .read], "a receipt covers both")
    }

    mutating func restart(_ directory: String, _ server: Server) async throws {
        print("restart")
        await server.write("where are you?", from: "bob", in: "friends")
        let client = try Client(directory: directory, server: server)
        let store = client.store
        let app = await AppModel()
        await app.signIn(store)
        await app.open(Main.friends, in: store)
        expect(try await store.read { try $0.outbox().compactMap(\.text) } == ["sent after the restart"], "it waits")
        let (_, count) = try await client.connect()
        expect(count == 3, "only what came since the last package, the own messages included")
        expect(try await client.sendOutbox() == 0, "what waited is sent")
        let (badge, texts) = try await store.read { views in
            (try views.unreadTotals().badge, try views.timeline(of: Main.work).elements.compactMap(\.text))
        }
        expect(badge == 2, "one unread in each conversation")
        expect(texts.count == 4 && texts.last == "sent after the restart", "no message is there twice")
        await app.chat?.loadOlder()
        let shown = await app.chat?.messages.count ?? 0
        expect(shown > 40, "a page more is shown of the conversation that is open")
        var events = 0
        for try await _ in store.allEvents() { events += 1 }
        expect(try client.isConsistent(), "the views are what the log of \(events) events says")
        await server.disconnect()
        try await store.close()
    }
}
