import Foundation
import MatrixClient
import MessageStore
import Testing

extension MatrixClientTests {
    @Test("messages written offline are sent later, once")
    func offlineBacklog() async throws {
        let (alice, bob, place) = (try await Peer("alice"), try await Peer("bob"), Place())
        let room = try await bob.createRoom("Tunnel", inviting: [alice])
        let key = ConversationKey.id(room)
        var client = try await place.signIn("alice")
        let theirs = try await bob.send("are you there?", to: room)
        try await client.sync()

        try Synapse.kill()
        for text in ["one", "two", "three"] { try await client.send(text, to: key) }
        let shown = try await client.message(theirs, in: key)
        try await client.react("👍", to: shown)
        try await client.markRead(key)
        await #expect(throws: MatrixError.unreachable) { try await client.sendWaiting() }
        await #expect(throws: MatrixError.unreachable) { try await client.sync() }
        #expect(try await client.unread(of: key) == 0)
        try await client.store.close()

        client = try await place.open()
        let waiting = try await client.store.read { try $0.outbox() }
        #expect(waiting.map(\.text) == ["one", "two", "three"])
        let running = Task { [client] in try await client.run() }
        try Synapse.start()
        // The server takes a message of this device, and its answer is lost.
        let token = try #require(waiting.first?.clientToken?.rawValue)
        let device = try Peer(user: alice.user, token: try place.token())
        let sent = try await device.send("one", to: room, transaction: token)
        // The client that runs all the time connects again, and sends.
        for try await isSent in client.store.observe({ try $0.pendingChanges().isEmpty && $0.outbox().isEmpty })
        where isSent { break }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        try await client.sync()
        let rows = try await bob.rows(of: room)
        #expect(rows.map(\.text) == ["are you there?", "one", "two", "three"])
        #expect(rows[1].id == sent && rows[0].reactions == ["👍": [alice.user]])
        #expect(try await client.rows(of: key) == rows)
        #expect(try await bob.receipt(of: alice.user, in: room) == theirs)
        #expect(try await client.store.verify().isConsistent)
        try await client.store.close()
    }

    @Test("a client that is killed continues from its place, without a loss or a repeat")
    func killed() async throws {
        let (alice, bob, place) = (try await Peer("alice"), try await Peer("bob"), Place())
        let room = try await bob.createRoom("Crash", inviting: [alice])
        let key = ConversationKey.id(room)
        var client = try await place.signIn("alice")
        try await client.sync()
        try await client.store.close()

        let program = Process()
        program.executableURL = URL(fileURLWithPath: Synapse.matrixChat)
        program.arguments = ["--store", place.path]
        let (input, output) = (Pipe(), Pipe())
        program.standardInput = input
        program.standardOutput = output
        try program.run()
        try input.fileHandleForWriting.write(contentsOf: Data("/open \(room)\nfrom the terminal\n".utf8))
        try await bob.send("seen \u{1B}[31mlive\u{9B}31m\u{202E}", to: room)
        let lines = try await Self.read(output, until: ["from the terminal", "seen [31mlive31m"])
        #expect(!lines.contains("\u{1B}") && !lines.contains("\u{9B}") && !lines.contains("\u{202E}"))
        kill(program.processIdentifier, SIGKILL)
        program.waitUntilExit()

        try await bob.send("missed", to: room)
        client = try await place.open()
        #expect(try await client.store.read { try $0.syncCursor("matrix") } != nil)
        try await client.sync()
        try await client.sendWaiting()
        try await client.sync()
        let rows = try await bob.rows(of: room)
        // The client may have been killed before its message was sent.
        #expect(
            rows.count == 3
                && Set(rows.map(\.text)) == ["from the terminal", "seen \u{1B}[31mlive\u{9B}31m\u{202E}", "missed"])
        #expect(try await client.rows(of: key) == rows)
        #expect(try await client.unread(of: key) == alice.notificationCount(of: room))
        #expect(try await client.store.verify().isConsistent)
        try await client.store.close()
    }

    @Test("signing in again keeps the device, and ends no session of a store that is open")
    func signInAgain() async throws {
        let place = Place()
        let first = try await place.signIn("alice")
        let device = try place.session()["device"]
        await #expect(throws: StoreError.self) { try await place.signIn("alice") }
        try await first.sync()
        try await first.store.close()
        let again = try await MatrixClient.signIn(
            to: try Synapse.address.get() + "/", user: "alice", password: "secret", in: place.path)
        #expect(try place.session()["device"] == device)
        try await again.sync()
        try await again.store.close()
        await #expect(throws: MatrixError.self) {
            try await MatrixClient.signIn(
                to: try Synapse.address.get(), user: "alice", password: "wrong", in: place.path)
        }
        let opened = try await place.open()
        try await opened.sync()
        try await opened.store.close()
    }

    /// Reads a program's output until all texts came.
    private static func read(_ output: Pipe, until texts: [String]) async throws -> String {
        let (chunks, chunk) = AsyncStream.makeStream(of: Data.self)
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { chunk.finish() } else { chunk.yield(data) }
        }
        defer { output.fileHandleForReading.readabilityHandler = nil }
        var all = Data()
        for await data in chunks {
            all += data
            let text = String(decoding: all, as: UTF8.self)
            if texts.allSatisfy(text.contains) { return text }
        }
        Issue.record("the program ended: \(String(decoding: all, as: UTF8.self))")
        return ""
    }
}

extension Place {
    /// The session that is kept.
    fileprivate func session() throws -> [String: String] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path + "/session.json"))
        return try JSONDecoder().decode([String: String].self, from: data)
    }

    fileprivate func token() throws -> String { try #require(try session()["token"]) }
}
