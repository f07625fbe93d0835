import AdapterSupport
import MessageStore

/// The realtime guide of LeanCloud: Tom and Jerry on one service, a store for each.
package enum LeanCloudSample {
    /// A client with its delegate.
    struct Party {
        let client: AVIMClient
        let delegate = ConversationStoreDelegate()

        init(_ name: String, _ server: LeanCloudServer, _ stores: AccountStores) throws {
            client = AVIMClient(server: server, stores: stores)
            client.delegate = delegate
            try client.openWithClientId(name)
        }

        /// What the delegate hears of what the server pushed.
        func hears() throws -> [String] {
            try client.receive()
            return delegate.told()
        }
    }

    /// Runs it in stores of its own.
    package static func run() async throws -> SampleRun {
        let run = SampleRun("LeanCloud: realtime for iOS, v2")
        let directory = try TemporaryDirectory()
        let server = LeanCloudServer()
        let stores = AccountStores(at: directory.path)
        let (tom, jerry) = (try Party("Tom", server, stores), try Party("Jerry", server, stores))
        run.expect("accounts on this device", try stores.accounts().map(\.rawValue).sorted(), is: ["Jerry", "Tom"])
        try oneToOne(run, server, tom, jerry)
        try media(run, tom, jerry)
        try recordings(run, tom, jerry)
        try group(run, server, stores, tom, jerry)
        try queries(run, tom)
        try valueConditions(run, tom)
        try system(run, server, tom)
        try await offline(run, tom, jerry)
        try await chatRoom(run, server, tom, jerry)
        for party in [tom, jerry] {
            run.expect("the views are what the log says", try party.client.isConsistent(), is: true)
            try party.client.close()
        }
        return run
    }

    private static func oneToOne(
        _ run: SampleRun, _ server: LeanCloudServer, _ tom: Party, _ jerry: Party
    ) throws {
        run.step("Tom opens a conversation with Jerry and writes")
        let conversation = try tom.client.createConversationWithName(nil, clientIds: ["Jerry"], attributes: ["type": 0])
        run.expect("Tom hears", try tom.hears(), is: ["Tom added Jerry"])
        try conversation.sendMessage(AVIMMessage(content: "wake up"))
        run.expect(
            "Jerry hears", try jerry.hears(), is: ["invited by Tom", "Tom added Jerry", "Tom: wake up"])

        run.step("with a receipt, refused and sent again, an answer lost and sent again, transient")
        let wanted = AVIMTypedMessage.text("did you get it?")
        try conversation.sendMessage(wanted, options: .requestReceipt)
        run.expect("status", wanted.status, is: .sent)
        run.expect("Jerry hears", try jerry.hears(), is: ["Tom: -1 did you get it?"])
        run.expect("Tom hears", try tom.hears(), is: ["delivered did you get it?"])
        for outcome in [ScriptedServer.Outcome.refused(500), .answerLost] {
            server.script.script(outcome)
            let message = AVIMTypedMessage.text("tried twice")
            do { try conversation.sendMessage(message) } catch AVIMError.server {}
            run.expect("status", message.status, is: .failed)
            try conversation.sendMessage(message)
            run.expect("status of the retry", message.status, is: .sent)
        }
        try conversation.sendMessage(AVIMMessage(content: "Tom is typing"), options: .transient)
        run.expect(
            "Jerry hears each once", try jerry.hears(),
            is: ["Tom: -1 tried twice", "Tom: -1 tried twice", "Tom: Tom is typing"])
        let mirrored = jerry.client.conversation(forId: conversation.conversationId)
        let retries = try tom.client.store().events(where: EventFilter(types: [.messageSendRetried]))
        run.expect("retries in the log", retries.count, is: 2)
        run.expect("Jerry's unread, without the transient one", try mirrored.unread(), is: 4)
        try mirrored.read()
        run.expect("once he looked", try mirrored.unread(), is: 0)
    }

    private static func media(_ run: SampleRun, _ tom: Party, _ jerry: Party) throws {
        run.step("a picture with its upload, a place, a type of the app's own, a place that is none")
        let conversation = tom.client.conversation(forId: "c1")
        let image = AVIMTypedMessage.image(
            "cute", attachedFilePath: "/photos/1.png", width: 640, height: 480, attributes: ["album": "cats"])
        try conversation.sendMessage(image)
        try conversation.sendMessage(AVIMTypedMessage.location("come", latitude: 45, longitude: 34))
        let news = NewsMessage(title: "Cheese", summary: "cheaper than ever")
        try conversation.sendMessage(AVIMTypedMessage.custom(news))
        run.expect("Jerry hears", try jerry.hears(), is: ["Tom: -2 cute", "Tom: -5 come", "Tom: 1 -"])
        let store = try jerry.client.store()
        try store.contentTypes.register(NewsMessage.self)
        let received = try store.read { try $0.timeline(of: conversation.key, limit: 3).elements }
            .map { AVIMMessage.make($0, types: store.contentTypes) }.compactMap { $0 as? AVIMTypedMessage }
        let picture = received.first?.payload as? ImagePayload
        run.expect("its width", picture?.width, is: 640)
        run.expect("its file is on the server", picture?.file.url?.hasPrefix("https://files.example.com/"), is: true)
        run.expect("its attributes", received.first?.attributes["album"]?.stringValue, is: "cats")
        run.expect("the place", (received.dropFirst().first?.payload as? LocationPayload)?.latitude, is: 45)
        run.expect("the news, registered late", received.last?.payload as? NewsMessage, is: news)
        let sent = try tom.client.store().read { views in try image.localId.flatMap { try views.message($0) } }
        run.expect("Tom's file stays here as well", sent?.attachment?.localPath, is: "/photos/1.png")
        var error: StoreError.Code?
        do {
            try conversation.sendMessage(AVIMTypedMessage.location(latitude: 91, longitude: 0))
        } catch let refusal as StoreError { error = refusal.code }
        run.expect("a latitude of 91 degrees", error, is: .invalidArgument)
    }

    private static func recordings(_ run: SampleRun, _ tom: Party, _ jerry: Party) throws {
        run.step("a voice message without words, and a video with some")
        let conversation = tom.client.conversation(forId: "c1")
        try conversation.sendMessage(AVIMTypedMessage.audio(attachedFilePath: "/voices/1.aac", duration: 3.5))
        let video = AVIMTypedMessage.video(
            "watch", attachedFilePath: "/films/1.mp4", duration: 12, attributes: ["place": "home"])
        try conversation.sendMessage(video)
        run.expect("Jerry hears", try jerry.hears(), is: ["Tom: -3 -", "Tom: -4 watch"])
        let store = try jerry.client.store()
        let received = try store.read { try $0.timeline(of: conversation.key, limit: 2).elements }
            .map { AVIMMessage.make($0, types: store.contentTypes) }.compactMap { $0 as? AVIMTypedMessage }
        run.expect(
            "audio and video", received.map { [$0.payload is AudioPayload, $0.payload is VideoPayload] },
            is: [[true, false], [false, true]])
        run.expect("lengths", received.map(\.duration), is: [3.5, 12])
        run.expect("sizes", received.map(\.file?.byteCount), is: [4_096, 65_536])
        run.expect("formats", received.map(\.file?.format), is: ["aac", "mp4"])
        run.expect(
            "files are on the server", received.allSatisfy { $0.file?.url != nil && $0.file?.path == nil }, is: true)
        run.expect("attributes", received.last?.attributes["place"]?.stringValue, is: "home")
    }

    private static func group(
        _ run: SampleRun, _ server: LeanCloudServer, _ stores: AccountStores, _ tom: Party, _ jerry: Party
    ) throws {
        run.step("a group: invite, kick, join, quit, mute")
        let group = try tom.client.createConversationWithName(
            "LeanCloud Fans", clientIds: ["Jerry", "Alex"],
            attributes: ["type": 1, "topic": "cats and mice", "tags": ["film", "tv"]])
        _ = (try tom.hears(), try jerry.hears())
        let (invitations, place) = (tom.delegate.ownInvitations, try group.lastActivity())
        _ = server.script.clock.next()
        try group.addMembersWithClientIds(["Ben", "Chad"])
        run.expect("Tom hears", try tom.hears(), is: ["Tom added Ben, Chad"])
        run.expect("and of his own invitation", tom.delegate.ownInvitations - invitations, is: 1)
        let own = try tom.client.store().events(where: EventFilter(types: [.selfInvited])).last
        run.expect("which is recorded", (own?.event.payload as? SelfInvited)?.actor, is: "Tom")
        run.expect("and does not move the group in his list", try group.lastActivity(), is: place)
        try group.removeMembersWithClientIds(["Jerry"])
        run.expect("Tom hears", try tom.hears(), is: ["Tom removed Jerry"])
        run.expect("Jerry hears", try jerry.hears(), is: ["Tom added Ben, Chad", "kicked by Tom"])
        run.expect("Tom's members", try group.members().sorted(), is: ["Alex", "Ben", "Chad", "Tom"])
        let jerrys = jerry.client.conversation(forId: group.conversationId)
        var code: AVIMError?
        let refused = AVIMTypedMessage.text("let me in")
        do { try jerrys.sendMessage(refused) } catch let error as AVIMError { code = error }
        run.expect("Jerry writes nevertheless", code, is: .server(LeanCloudServer.notMember))
        try jerrys.join()
        try jerrys.sendMessage(refused)
        run.expect("and once he has joined", refused.status, is: .sent)
        run.expect("Tom hears", try tom.hears(), is: ["Jerry added Jerry", "Jerry: -1 let me in"])
        try group.mute()
        let totals = try tom.client.store().read { try ($0.unreadTotals().badge, $0.unread(of: group.key).messages) }
        run.expect("muted: Tom's badge, and his unread", [totals.0, totals.1], is: [0, 1])
        try group.unmute()
        run.expect("and no longer", try tom.client.store().read { try $0.unreadTotals().badge }, is: 1)
        try jerrys.quit()
        run.expect("Jerry may send", try jerry.client.store().read { try $0.canSend(in: group.key) }, is: false)
        run.expect("Tom hears", try tom.hears(), is: ["Jerry removed Jerry"])
    }

    private static func queries(_ run: SampleRun, _ tom: Party) throws {
        run.step("queries by members and attributes")
        typealias Query = AVIMConversationQuery
        let (groups, pair, named) = (
            tom.client.conversationQuery(), tom.client.conversationQuery(), tom.client.conversationQuery()
        )
        try groups.whereKey(Query.kAVIMKeyMember, containedIn: ["Tom"])
        try groups.whereKey(Query.AVIMAttr("type"), equalTo: 1)
        groups.limit = 20
        let found = try groups.findConversations()
        run.expect("Tom's groups", found.map(\.conversationId), is: ["c2"])
        run.expect("the name", try found.first?.name(), is: "LeanCloud Fans")
        run.expect("the creator", try found.first?.creator(), is: "Tom")
        run.expect("the kind", try found.first?.kind(), is: .group)
        try pair.whereKey(Query.kAVIMKeyMember, containsAllObjects: ["Jerry", "Tom"])
        let pairs = try pair.findConversations()
        run.expect("Tom and Jerry alone", pairs.map(\.conversationId), is: ["c1"])
        run.expect("with whom Tom talks there", try pairs.first?.peer(), is: "Jerry")
        let alone = tom.client.conversationQuery()
        try alone.whereKey(Query.kAVIMKeyMember, containsAllObjects: ["Tom"])
        run.expect("Tom and nobody else", try alone.findConversations().count, is: 0)
        try named.whereKey(Query.kAVIMKeyName, equalTo: "LeanCloud Fans")
        try named.whereKey(Query.kAVIMKeyCreator, equalTo: "Jerry")
        run.expect("by a name and another's creator", try named.findConversations().count, is: 0)
    }

    private static func valueConditions(_ run: SampleRun, _ tom: Party) throws {
        run.step("queries by all conditions of values: c1 is of type 0, c2 of type 1 with name, topic and tags")
        typealias Query = AVIMConversationQuery
        let (type, topic, tags) = (Query.AVIMAttr("type"), Query.AVIMAttr("topic"), Query.AVIMAttr("tags"))
        let queries: [(String, (Query) throws -> Void, [String])] = [
            ("notEqualTo", { try $0.whereKey(type, notEqualTo: 1) }, ["c1"]),
            ("notEqualTo, where it is missing", { try $0.whereKey(topic, notEqualTo: "dogs") }, ["c1", "c2"]),
            ("lessThan", { try $0.whereKey(type, lessThan: 1) }, ["c1"]),
            ("lessThanOrEqualTo", { try $0.whereKey(type, lessThanOrEqualTo: 1) }, ["c1", "c2"]),
            ("greaterThan", { try $0.whereKey(type, greaterThan: 0) }, ["c2"]),
            ("greaterThanOrEqualTo", { try $0.whereKey(type, greaterThanOrEqualTo: 0.5) }, ["c2"]),
            ("containedIn", { try $0.whereKey(type, containedIn: [1, 2]) }, ["c2"]),
            ("notContainedIn", { try $0.whereKey(type, notContainedIn: [1, 2]) }, ["c1"]),
            ("hasPrefix", { try $0.whereKey(Query.kAVIMKeyName, hasPrefix: "Lean") }, ["c2"]),
            ("hasSuffix, of the beginning", { try $0.whereKey(Query.kAVIMKeyName, hasSuffix: "Lean") }, []),
            ("hasSuffix", { try $0.whereKey(Query.kAVIMKeyName, hasSuffix: "Fans") }, ["c2"]),
            ("containsString", { try $0.whereKey(topic, containsString: "and m") }, ["c2"]),
            ("containsAllObjects", { try $0.whereKey(tags, containsAllObjects: ["tv", "film"]) }, ["c2"]),
            ("containsAllObjects, one not", { try $0.whereKey(tags, containsAllObjects: ["tv", "radio"]) }, []),
            ("exists", { try $0.whereKeyExists(topic) }, ["c2"]),
            ("does not exist", { try $0.whereKeyDoesNotExist(topic) }, ["c1"]),
        ]
        for (name, restrict, expected) in queries {
            let query = tom.client.conversationQuery()
            try restrict(query)
            run.expect(name, try query.findConversations().map(\.conversationId).sorted(), is: expected)
        }
        var error: AVIMError?
        do { try tom.client.conversationQuery().whereKeyExists("x") } catch let refusal as AVIMError { error = refusal }
        run.expect("a key that is none", error, is: .unknownKey("x"))
    }

    private static func system(_ run: SampleRun, _ server: LeanCloudServer, _ tom: Party) throws {
        run.step("a conversation of the system; its kind is told once the client asks")
        let news = server.create(by: "LeanCloud", name: "News", members: ["Tom"], attributes: [:], isSystem: true)
        run.expect("Tom hears", try tom.hears(), is: ["invited by LeanCloud", "LeanCloud added Tom"])
        let conversation = tom.client.conversation(forId: news.id)
        run.expect("the kind", try conversation.kind(), is: .unspecified)
        _ = try tom.client.conversationQuery().findConversations()
        run.expect("the kind, once he asked", try conversation.kind(), is: .system)
    }

    private static func offline(_ run: SampleRun, _ tom: Party, _ jerry: Party) async throws {
        run.step("Jerry is away; what was written comes when he is back")
        let toms = tom.client.conversation(forId: "c1")
        let jerrys = jerry.client.conversation(forId: "c1")
        try jerrys.read()
        try jerry.client.pause()
        for number in 1...3 { try toms.sendMessage(AVIMTypedMessage.text("offline \(number)")) }
        try toms.addMembersWithClientIds(["Spike"])
        try jerry.client.resume()
        run.expect(
            "Jerry hears", jerry.delegate.told(),
            is: ["paused", "resuming", "resumed", "Tom: -1 offline 1", "Tom: -1 offline 2", "Tom: -1 offline 3"])
        run.expect("unread", try jerrys.unread(), is: 3)
        run.expect("the kind, of which he was not told", try jerrys.kind(), is: .unspecified)
        run.expect("members of whom he was told", try jerrys.members().sorted(), is: ["Jerry"])
        _ = try jerry.client.conversationQuery().findConversations()
        run.expect("and once he asked", try jerrys.members().sorted(), is: ["Jerry", "Spike", "Tom"])
        run.expect("and the kind, by its attribute", try jerrys.kind(), is: .single)

        run.step("away again, in unread mode: a number, and the messages when he asks")
        try jerrys.read()
        try jerry.client.pause()
        for number in 1...60 { try toms.sendMessage(AVIMTypedMessage.text("missed \(number)")) }
        jerry.client.usesUnread = true
        try jerry.client.resume()
        run.expect("Jerry hears", Array(jerry.delegate.told().suffix(1)), is: ["60 unread in c1"])
        run.expect("unread", try jerrys.unread(), is: 60)
        let newest = try await jerrys.queryMessagesWithLimit(20)
        let texts = newest.compactMap { ($0 as? AVIMTypedMessage)?.text }
        run.expect("the newest twenty", texts, is: (41...60).map { "missed \($0)" })
        guard let oldest = newest.first else { return }
        let older = try await jerrys.queryMessagesBeforeId(
            oldest.messageId, timestamp: oldest.sendTimestamp, limit: 100)
        run.expect("those before, to the first", older.first?.content, is: "wake up")
        run.expect("with what he had", older.count, is: 4 + 3 + 2 + 3 + 40)
        run.expect("unread, as it was", try jerrys.unread(), is: 60)
        try jerrys.read()
        run.expect("once he looked", try jerrys.unread(), is: 0)
        var error: StoreError.Code?
        do { _ = try await jerrys.queryMessagesWithLimit(1_001) } catch let refusal as StoreError {
            error = refusal.code
        }
        run.expect("a page of 1001", error, is: .invalidArgument)
    }

    private static func chatRoom(
        _ run: SampleRun, _ server: LeanCloudServer, _ tom: Party, _ jerry: Party
    ) async throws {
        run.step("two chat rooms; a client is in one of them")
        let first = try tom.client.createConversationWithName(nil, clientIds: [], transient: true)
        let jerrys = jerry.client.conversation(forId: first.conversationId, transient: true)
        try jerrys.join()
        try first.sendMessage(AVIMTypedMessage.text("live"))
        run.expect("Jerry hears of messages, not of members", try jerry.hears(), is: ["Tom: -1 live"])
        run.expect("how many are there", try jerrys.countMembers(), is: 2)
        let second = try jerry.client.createConversationWithName(nil, clientIds: [], transient: true)
        run.expect("Jerry is in", try jerry.client.joinedRoomIds(), is: [second.conversationId])
        run.expect("so that there remain", try first.countMembers(), is: 1)
        run.expect("rooms are in no list", try jerry.client.conversationIds(), is: ["c1", "c2"])
        try jerrys.join()
        let history = try await jerrys.queryMessagesWithLimit()
        run.expect("history, after he came back", history.compactMap { ($0 as? AVIMTypedMessage)?.text }, is: ["live"])
    }
}
