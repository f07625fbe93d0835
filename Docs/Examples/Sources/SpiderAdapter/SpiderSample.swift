import AdapterSupport
import MessageStore

/// The document of Spider-lib: connection, messages of own types, sending, the local store and a plug-in.
package enum SpiderSample {
    private static let bob = SPSessionModel(sessionId: "bob", sessionType: .single)
    private static let team = SPSessionModel(sessionId: "team", sessionType: .group)

    /// Runs it in a store of its own.
    package static func run() async throws -> SampleRun {
        let run = SampleRun("Spider: integration")
        let directory = try TemporaryDirectory()
        let server = SpiderServer()
        let manager = try SPIMManager(appkey: "appkey", directory: directory.path, server: server)
        let (listener, plugin) = (SpiderListener(), CallPlugin())
        manager.addMessageListener(listener)
        manager.addConnectionStatusListener(listener)
        try manager.registerMessageType(CallSignal.self)
        run.expect("a plug-in registers once", manager.registerPlugin(plugin), is: true)
        run.expect("and not again", manager.registerPlugin(plugin), is: false)
        try connect(run, manager, listener)
        try receive(run, manager, listener)
        try send(run, manager)
        try query(run, manager)
        try change(run, manager)
        try await plugins(run, manager, plugin)
        run.expect("the views are what the log says", try verify(manager), is: true)
        try manager.close()
        return run
    }

    private static func verify(_ manager: SPIMManager) throws -> Bool? {
        try manager.store?.verify().isConsistent
    }

    private static func connect(_ run: SampleRun, _ manager: SPIMManager, _ listener: SpiderListener) throws {
        run.step("connecting with a wrong signature, and then with the right one; three messages wait")
        manager.server.keep(
            try ["one", "two", "three"].map { try manager.server.frame(SPTextMessage($0), in: team) })
        var (connections, refusals) = (0, [Int]())
        for sign in ["forged", "signed"] {
            try manager.connect("alice", sign: sign, success: { connections += 1 }, error: { refusals.append($0) })
        }
        run.expect("success", connections, is: 1)
        run.expect("error", refusals, is: [401])
        run.expect(
            "callbacks", listener.connection,
            is: ["open 0", "connecting", "disconnected 401", "connecting", "connected"])
        run.expect("received", listener.lines, is: ["one", "two", "three"])
        run.expect("refreshes where none is left", listener.refreshes, is: 1)
    }

    private static func receive(_ run: SampleRun, _ manager: SPIMManager, _ listener: SpiderListener) throws {
        run.step("a text with a digest, a card of a type that is registered late, a signal that is not stored")
        let frames = [
            try manager.server.frame(SPTextMessage("a long text", digest: "short"), in: bob),
            try manager.server.frame(CardMessage("Carol"), in: bob),
            try manager.server.frame(CallSignal("ringing"), in: bob),
        ]
        for frame in frames + [frames[0]] { try manager.push(frame) }
        run.expect("lines", Array(listener.lines.dropFirst(3)), is: ["short", "[APP:Card]", "[APP:Call]"])
        run.expect("the session's line", try manager.getSession("bob", sessionType: .single)?.digest, is: "[APP:Card]")
        try manager.registerMessageType(CardMessage.self)
        run.expect(
            "and when the type is known", try manager.getSession("bob", sessionType: .single)?.digest,
            is: "[card of Carol]")
        run.expect("stored", try manager.getMessages(bob, count: 10).count, is: 2)
        run.expect("unread: the text alone", try manager.getUnreadCount([.single]), is: 1)
        var refusal: StoreError.Code?
        do { try manager.registerMessageType(OtherTextMessage.self) } catch let error as StoreError {
            refusal = error.code
        }
        run.expect("a second class for a type", refusal, is: .invalidArgument)

        run.step("a text with numbers, a list and null in its extra")
        let extra: JSONValue = ["level": 3, "tags": ["a", true, .null], "price": 1.5]
        try manager.push(try manager.server.frame(SPTextMessage("with extra", extra: extra), in: bob))
        let text = try manager.getMessages(bob, count: 1).first?.content as? SPTextMessage
        run.expect("its text", text?.text, is: "with extra")
        run.expect("its extra", text?.extra, is: extra)
        _ = try manager.clearSessionUnreadStatus(bob)
    }

    private static func send(_ run: SampleRun, _ manager: SPIMManager) throws {
        run.step("sending: accepted, refused and sent again, an answer that is lost")
        var (successes, failures) = ([UInt64: String](), [Int32]())
        func send(_ text: String) throws -> UInt64 {
            try manager.sendMessage(
                SPMessage(SPTextMessage(text)), toSession: bob, success: { successes[$0] = $1 },
                error: { code, _ in failures.append(code) }
            ).messageId
        }
        let first = try send("hello")
        run.expect("uniqueId", try manager.getMessage(first)?.uniqueId, is: successes[first])
        manager.server.script.script(.refused(500))
        let second = try send("refused")
        run.expect("status", try manager.getMessage(second)?.sentStatus, is: .failed)
        try manager.resendMessage(second, success: { successes[$0] = $1 }, error: { code, _ in failures.append(code) })
        run.expect("status of the retry", try manager.getMessage(second)?.sentStatus, is: .sent)
        manager.server.script.script(.answerLost)
        let third = try send("lost")
        run.expect("errors", failures, is: [500, 408])
        try manager.resendMessage(third, success: { successes[$0] = $1 }, error: { _, _ in })
        run.expect("status", try manager.getMessage(third)?.sentStatus, is: .sent)
        let texts = try manager.getMessages(bob, messageTypes: ["SP:TxtMsg"], count: 10)
        run.expect("shown", texts.compactMap(\.digest), is: ["short", "with extra", "hello", "refused", "lost"])
    }

    private static func query(_ run: SampleRun, _ manager: SPIMManager) throws {
        run.step("pages from a message on, in both directions")
        let all = try manager.getMessages(team, count: 10)
        let middle = all.count > 1 ? all[1].messageId : 0
        let older = try manager.getMessages(team, messageId: middle, direction: false, count: 5)
        let newer = try manager.getMessages(team, messageId: middle, direction: true, count: 5)
        run.expect("older", older.compactMap(\.digest), is: ["one"])
        run.expect("newer", newer.compactMap(\.digest), is: ["three"])
        run.expect("sessions", try manager.getSessionList([.single, .group]).map(\.sessionId), is: ["bob", "team"])
        run.expect("groups", try manager.getSessionList([.group]).map(\.sessionId), is: ["team"])
    }

    private static func change(_ run: SampleRun, _ manager: SPIMManager) throws {
        run.step("top, read, deleted")
        _ = try manager.updateSessionTopStatus(team, isTop: true)
        run.expect("the top", try manager.getSessionList([.single, .group]).first?.sessionId, is: "team")
        run.expect("unread", try manager.getUnreadCount([.group]), is: 3)
        _ = try manager.clearSessionUnreadStatus(team)
        run.expect("unread, once it is cleared", try manager.getUnreadCount([.group]), is: 0)
        let ids = try manager.getMessages(team, count: 10).prefix(2).map(\.messageId)
        run.expect("deleteMessages", try manager.deleteMessages(Array(ids)), is: true)
        run.expect("deleteMessages again", try manager.deleteMessages(Array(ids)), is: false)
        run.expect("left", try manager.getMessages(team, count: 10).compactMap(\.digest), is: ["three"])
        _ = try manager.deleteSessionMessages(team)
        run.expect("left", try manager.getMessages(team, count: 10).count, is: 0)
        run.expect("the session stays", try manager.getSession("team", sessionType: .group)?.isTop, is: true)
        run.expect("deleteSession", try manager.deleteSession(team), is: true)
        run.expect("and goes", try manager.getSession("team", sessionType: .group), is: nil)
        run.expect(
            "one that is not there", try manager.deleteSession(.init(sessionId: "x", sessionType: .group)), is: false)
        if let last = try manager.getMessages(bob, count: 1).first {
            _ = try manager.updateMessageSentStatus(last.messageId, sentStatus: .failed)
            run.expect("a status set by hand", try manager.getMessage(last.messageId)?.sentStatus, is: .failed)
        }
    }

    private static func plugins(_ run: SampleRun, _ manager: SPIMManager, _ plugin: CallPlugin) async throws {
        run.step("the plug-in heard of the connection, and of all messages in one order, stored or not")
        var messages = ["one", "two", "three", "a long text", "APP:Card", "ringing", "with extra"]
        func isReported() async throws -> Bool {
            try await eventually { plugin.heard.count { messages.contains($0) } >= messages.count }
        }
        run.expect("all came", try await isReported(), is: true)
        run.expect("in order, each once", plugin.heard.filter { messages.contains($0) }, is: messages)
        for number in 1...50 {
            try manager.push(try manager.server.frame(SPTextMessage("text \(number)"), in: bob))
            try manager.push(try manager.server.frame(CallSignal("signal \(number)"), in: bob))
            messages += ["text \(number)", "signal \(number)"]
        }
        run.expect("a hundred more, every other one stored", try await isReported(), is: true)
        run.expect("in order", plugin.heard.filter { messages.contains($0) }, is: messages)
        run.expect(
            "the connection", plugin.heard.filter { $0.contains("connect") || $0.contains("login") },
            is: ["login alice", "connecting", "disconnected", "login alice", "connecting", "connected"])
        try manager.status(SessionStateChanged(.kicked, text: "signed in elsewhere"))
        run.expect("and that it was kicked", plugin.heard.last, is: "kicked")
        run.expect("unRegisterPlugin", manager.unRegisterPlugin(plugin), is: true)
        let before = plugin.heard.count
        try manager.push(try manager.server.frame(SPTextMessage("later"), in: bob))
        run.expect("what comes later", plugin.heard.count - before, is: 0)
    }
}
