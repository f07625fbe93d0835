import AdapterSupport
import MessageStore

/// NIMKit's guide: names by provider, the list of sessions, a session's rows, and the selectors.
package enum NIMKitSample {
    private static let bob = NIMSession("bob", .P2P)
    private static let team = NIMSession("cats", .team)

    /// Runs it in a store of its own.
    package static func run() async throws -> SampleRun {
        let run = SampleRun("NIMKit: components for NetEase's SDK")
        let directory = try TemporaryDirectory()
        let server = NIMServer()
        let kit = try NIMKit(directory: directory.path, account: "alice", server: server)
        let following = Task { [notices = kit.notices, store = kit.store] in try await notices.follow(store) }
        try await names(run, kit)
        try await list(run, kit)
        try await session(run, kit)
        try await cloud(run, kit)
        try sending(run, kit)
        try selectors(run, kit)
        run.expect("the views are what the log says", try await verify(kit), is: true)
        try await kit.store.close()
        try await following.value
        return run
    }

    private static func verify(_ kit: NIMKit) async throws -> Bool {
        try await kit.store.verify().isConsistent
    }

    private static func names(_ run: SampleRun, _ kit: NIMKit) async throws {
        run.step("a name is drawn before it is known; the answer has it drawn anew")
        kit.server.name("bob", "Bob")
        kit.server.team(TeamInfo(id: team.key, name: "Cats and mice", kind: 1))
        try await kit.store.record(.conversationCreated(members: ["alice", "bob", "carol"], in: team.key))
        let first = try (kit.provider.infoByUser("bob", inSession: bob), kit.provider.infoByTeam("cats"))
        run.expect("at first", [first.0.showName, first.1.showName], is: ["bob", "cats"])
        for _ in 1...3 { _ = try kit.provider.infoByUser("bob", inSession: team) }
        let isReported = try await eventually { Set(kit.notices.redrawn) == ["bob", "cats"] }
        run.expect("notfiyUserInfoChanged and notfiyTeamInfoChanged", isReported, is: true)
        let then = try (kit.provider.infoByUser("bob", inSession: bob), kit.provider.infoByTeam("cats"))
        run.expect("then", [then.0.showName, then.1.showName], is: ["Bob", "Cats and mice"])
        run.expect("the picture", then.0.avatarUrlString, is: "https://a.example.com/bob")
        run.expect("asked once", kit.server.userRequests, is: [["bob"]])
        try await kit.store.record(Event(MemberInfoChanged("bob", nickname: "Bobby"), in: team.key))
        run.expect("in the team", try kit.provider.infoByUser("bob", inSession: team).showName, is: "Bobby")
        run.expect("and alone", try kit.provider.infoByUser("bob", inSession: bob).showName, is: "Bob")

        run.step("Bob takes another name; the app says so")
        kit.server.name("bob", "Robert")
        try await kit.store.record(Event(ProfileInvalidated(["bob"])))
        run.expect("meanwhile", try kit.provider.infoByUser("bob", inSession: bob).showName, is: "Bob")
        let isKnown = try await eventually {
            try kit.provider.infoByUser("bob", inSession: bob).showName == "Robert"
        }
        run.expect("then Robert", isKnown, is: true)
        let room = NIMSession("show", .chatroom)
        let guest = SenderProfile(name: "Guest 7", avatarURL: nil)
        try kit.receive([kit.server.message(.text("666"), in: room, from: "g7", senderProfile: guest)], in: room)
        let message = try kit.newest(in: room)
        run.expect(
            "a guest of a chat room", try message.map { try kit.provider.infoByUser("g7", withMessage: $0).showName },
            is: "Guest 7")
        run.expect("of whom nobody was asked", kit.server.userRequests, is: [["bob"], ["bob"]])
    }

    private static func list(_ run: SampleRun, _ kit: NIMKit) async throws {
        run.step("the recent sessions")
        let image = try ImagePayload(MediaFile(url: "https://x.example.com/1.png")).encode()
        let tip = try TipPayload(["operation": "invite", "who": "bob"]).encode()
        try kit.receive([kit.server.message(.text("hello"), in: bob)], in: bob)
        try kit.receive([kit.server.message(image, in: team)], in: team)
        let list = NIMSessionList(kit)
        func lines() throws -> [String] {
            try list.recentSessions().map {
                "\(list.nameForRecentSession($0)) \(try list.contentForRecentSession($0)) \($0.unread.messages)"
            }
        }
        run.expect("lines", try lines(), is: ["Cats and mice [picture] 1", "Robert hello 1"])
        let times = try list.recentSessions().map { list.timestampDescriptionForRecentSession($0) }
        run.expect("times", times, is: ["22:13", "22:13"])
        try kit.receive([kit.server.message(tip, in: team)], in: team)
        run.expect("with a tip", try lines().first, is: "Cats and mice Bobby joined 2")
        list.autoRemoveRemoteSession = true
        if let recent = try list.recentSessions().first { try list.delete(recent) }
        run.expect("one deleted", try lines(), is: ["Robert hello 1"])
        let intents = try await kit.store.events(where: EventFilter(types: [.conversationDeleted]))
            .compactMap { ($0.event.payload as? ConversationDeleted)?.isRemote }
        run.expect("on the server as well", intents, is: [true])
        try kit.receive([kit.server.message(.text("again"), in: team)], in: team)
        run.expect("until somebody writes", try lines().first, is: "Cats and mice again 1")
    }

    private static func session(_ run: SampleRun, _ kit: NIMKit) async throws {
        run.step("a session: rows of all kinds with times, receipts for those who asked, a voice that was played")
        let contents = [
            MessageContent.text("one"), try AudioPayload(MediaFile(url: "https://x.example.com/1.aac")).encode(),
            MessageContent(type: "nim/jan-ken-pon", data: [1]), MessageContent(type: "nim/of-tomorrow", data: [2]),
        ]
        let carol = NIMSession("carol", .P2P)
        for content in contents {
            for _ in 1...400 where content.type == .audio { _ = kit.server.script.clock.next() }
            try kit.receive([kit.server.message(content, in: carol, from: "carol", needsReceipt: true)], in: carol)
        }
        let rows = NIMSessionMsgDatasource(kit, carol, AppSessionConfig())
        try await rows.open()
        run.expect(
            "rows", try rows.rows(),
            is: [
                "--", "carol: NIMSessionTextContentView", "--", "carol: NIMSessionAudioContentView",
                "carol: JanKenPonContentView", "carol: NIMSessionUnknowContentView",
            ])
        run.expect("unread", try kit.unread(in: carol), is: 0)
        run.expect("receipts", kit.server.receipts, is: rows.messages.compactMap(\.serverID?.rawValue))
        try await rows.open()
        run.expect("receipts, once each", kit.server.receipts.count, is: 4)
        guard let voice = rows.messages.first(where: { $0.content.type == .audio }) else { return }
        run.expect("the dot of the voice", voice.flags.contains(.listened), is: false)
        try await kit.store.record(
            Event(MessageStatusFlagsSet([.local(voice.id)], flags: .listened), in: carol.key))
        run.expect("is gone", try kit.message(voice.id)?.flags.contains(.listened), is: true)
    }

    private static func cloud(_ run: SampleRun, _ kit: NIMKit) async throws {
        run.step("a session of which the cloud has thirty messages, and this device the last")
        let dave = NIMSession("dave", .P2P)
        let all = (1...30).map { kit.server.message(.text("d\($0)"), in: dave, from: "dave") }
        try kit.receive(Array(all.suffix(1)), in: dave)
        let local = NIMSessionMsgDatasource(kit, dave, DefaultSessionConfig())
        try await local.open()
        run.expect("without a fetch on entry", local.messages.compactMap(\.text), is: ["d30"])
        run.expect("the list can be pulled down", local.hasOlder, is: true)
        try await local.loadOlder()
        run.expect("and is", local.messages.compactMap(\.text), is: (10...30).map { "d\($0)" })
        try await local.loadOlder()
        run.expect("to the first", local.messages.count, is: 30)
        run.expect("where it ends", local.hasOlder, is: false)
        let frank = NIMSession("frank", .P2P)
        _ = (1...2).map { kit.server.message(.text("f\($0)"), in: frank, from: "frank") }
        kit.server.script.script(.refused(500))
        _ = try kit.send(.text("unsent"), to: frank)
        let unsent = NIMSessionMsgDatasource(kit, frank, DefaultSessionConfig())
        try await unsent.open()
        run.expect("one with an unsent message alone", unsent.messages.compactMap(\.text), is: ["unsent"])
        try await unsent.loadOlder()
        run.expect("pulled down", unsent.messages.compactMap(\.text), is: ["f1", "f2", "unsent"])
        let eve = NIMSession("eve", .P2P)
        _ = (1...3).map { kit.server.message(.text("e\($0)"), in: eve, from: "eve") }
        let remote = NIMRemoteMessageDataProvider(store: kit.store)
        let page = try await remote.pullDown(nil, in: eve, limit: 2)
        let before = try await remote.pullDown(page.first, in: eve, limit: 2)
        run.expect("the cloud's page", (before + page).compactMap(\.content.text), is: ["e1", "e2", "e3"])
        run.expect("leaves the store alone", try kit.newest(in: eve)?.text, is: nil)
    }

    private static func sending(_ run: SampleRun, _ kit: NIMKit) throws {
        run.step("a failed message keeps its place and its dot, until it is tapped")
        kit.server.script.script(.refused(500))
        let local = try kit.send(.text("on my way"), to: bob)
        run.expect("status", try kit.message(local)?.status, is: .failed)
        try kit.onRetryMessage(local)
        run.expect("status", try kit.message(local)?.status, is: .sent)
        run.expect("its row keeps its id", try kit.newest(in: bob)?.id, is: local)
    }

    private static func selectors(_ run: SampleRun, _ kit: NIMKit) throws {
        run.step("selectors without oneself, and a team's card")
        try kit.record(Event(ContactsReceived(["alice", "bob", "dave"].map { ContactInfo(id: $0) })))
        let friends = NIMContactSelectConfig.friends(filterIds: ["alice"])
        run.expect("friends", try friends.ids(in: kit.store), is: ["bob", "dave"])
        let teams = NIMContactSelectConfig.teams(filterIds: ["t0007"])
        run.expect("teams", try teams.ids(in: kit.store), is: ["cats"])
        let others = (1...1_100).map { "t" + String(10_000 + $0).dropFirst() }
        try kit.record(
            Event(TeamInfoFetched(others.map { TeamInfo(id: .group($0), name: "Team \($0)", kind: 0) })))
        run.expect(
            "and 1,100 without a conversation, but for one", try teams.ids(in: kit.store),
            is: ["cats"] + others.filter { $0 != "t0007" })
        let members = NIMContactSelectConfig.members(teamId: "cats", filterIds: ["alice"])
        run.expect("members", try members.ids(in: kit.store), is: ["bob", "carol"])
        try kit.record(Event(MemberInfoChanged("carol", role: 1), in: team.key))
        let card = try NIMTeamCard("cats", kit)
        run.expect("the card's type", card.teamType, is: 1)
        run.expect("its members", card.members, is: ["alice", "Bobby", "carol (1)"])
    }
}
