import MessageStore
import MessageStoreLMDB
import Testing

/// Written from "NIMKit 自定义" : user and team info, the session list, the session view.
@Suite("NIMKit: info and the recent list", .timeLimit(.minutes(30)))
struct NIMKitInfoTests {
    private let team = ConversationKey.group("t1")
    private let room = ConversationKey(.chatRoom, "r1")

    @Test(
        "C1, C2, C8: a name by session and by message: the team's nickname outranks the user's, not between two people")
    func names() throws {
        try withTemporaryStore { store throws in
            try store.record(
                profiles([("bob", "鲍勃")]), created(members: ["me", "bob"], in: team),
                Event(MemberInfoChanged("bob", nickname: "小鲍"), in: team),
                received("m", at: 1, in: team), received("p", at: 1, in: peer))
            #expect(try store.read { try $0.displayName(of: "bob", in: team) } == "小鲍")
            #expect(try store.read { try $0.displayName(of: "bob", in: peer) } == "鲍勃")
            let message = try #require(try store.message("m", in: team))
            #expect(try store.read { try $0.senderName(of: message) } == "小鲍")
        }
    }

    @Test("C3, C7, C29: team info by id, invalidated and kept; normal and advanced teams")
    func teams() throws {
        try withTemporaryStore { store throws in
            #expect(try store.read { try $0.team(team) }.isPlaceholder)
            let info = TeamInfo(id: team, name: "猫鼠队", avatarURL: "https://x/t.png", kind: 1)
            try store.record(Event(TeamInfoFetched([info])), received("m", at: 1, in: team))
            #expect(try store.read { try $0.team(team) }.info == info)
            #expect(try store.conversation(team)?.displayName == "猫鼠队")
            try store.record(Event(TeamInfoInvalidated([team])))
            let stale = try store.read { try $0.team(team) }
            #expect(stale.isStale && stale.info.name == "猫鼠队")
        }
    }

    @Test("C4: a tip is stored with its parts and put into words by the host")
    func tips() throws {
        let registry = ContentTypeRegistry()
        let tip = try TipPayload(["operation": "invite", "who": "Tom"]).encode()
        try registry.register(
            TipPayload.self,
            text: { tip in
                (tip.fields["who"]?.stringValue).map { "\($0) 加入了群聊" }
            })
        #expect(registry.preview(of: tip) == "Tom 加入了群聊")
    }

    @Test("C4: a hook gets the sender's name; one that reads the store inside a read is logged, and the type is shown")
    func namesAndErrors() throws {
        let lines = LoggedLines()
        let place = try TemporaryStore()
        let store = try place.open { $0.logger = lines.logger }
        let types = store.contentTypes
        try types.register(TipPayload.self, messageText: { _, message in "\(message?.senderName ?? "-") left" })
        let tip = try TipPayload(["operation": "leave"]).encode()
        let body = MessageReceived(serverID: "s", sender: "bob", sentTime: ms(1), content: tip)
        try store.record(profiles([("bob", "Robert")]), Event(body, in: team, origin: .live))
        #expect(try store.conversation(team)?.lastMessage.flatMap { types.preview(of: $0) } == "Robert left")
        try store.read { views in
            let message = try #require(try views.message(.server("s"), in: team))
            let name = try views.senderName(of: message)
            #expect(types.preview(of: message, senderName: name) == "Robert left")
            #expect(types.preview(of: message) == "bob left", "no name came with the message")
        }
        #expect(lines.all.isEmpty)
        try types.register(
            TipPayload.self,
            messageText: { [weak store] _, message in
                guard let store, let message else { return nil }
                return try store.read { try $0.displayName(of: message.sender, in: message.conversation) } + " left"
            })
        let row = try #require(try store.conversation(team)?.lastMessage)
        #expect(types.preview(of: row) == "Robert left" && lines.all.isEmpty)
        try store.read { _ in #expect(types.preview(of: row) == "[tip]") }
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.metadata["error"]?.hasPrefix("nestedAccess") == true)
        try store.close()
    }

    @Test("C4: a hook words a tip with its sender and ids at hand, in the list and in the timeline")
    func tipOfMessage() throws {
        try withTemporaryStore { store throws in
            let types = store.contentTypes
            try types.register(
                TipPayload.self,
                messageText: { tip, message in
                    guard tip.fields["operation"]?.stringValue == "recall", let message else { return nil }
                    return
                        "\(message.sender) recalled \(message.serverID?.rawValue ?? "-") in \(message.conversation.id)"
                })
            let tip = try TipPayload(["operation": "recall"]).encode()
            let body = MessageReceived(serverID: "s", sender: "Tom", sentTime: ms(1), content: tip)
            try store.record(Event(body, in: team, origin: .live))
            let row = try #require(try store.conversation(team)?.lastMessage)
            #expect(types.preview(of: row) == "Tom recalled s in t1")
            let message = try #require(try store.message("s", in: team))
            #expect(types.preview(of: message) == "Tom recalled s in t1")
            #expect(types.preview(of: tip) == "[tip]", "no message is known")
            try store.record(recalled("s", in: team))
            #expect(try store.message("s", in: team).flatMap { types.preview(of: $0) } == nil)
        }
    }

    /// Answers when it is told to.
    private final class Slow: ProfileProvider {
        let asked = Locked<[[UserID]]>([])

        func profiles(for users: [UserID]) async throws -> [Profile] {
            asked.withLock { $0.append(users) }
            return users.map { Profile(id: $0, name: "名字 \($0)") }
        }
    }

    @Test("C5, C6, C9: a placeholder at once, one batched request, and the view is told when the answer comes")
    func placeholders() async throws {
        let place = try TemporaryStore()
        let provider = Slow()
        let store = try place.open { $0.profileProvider = provider }
        let shown = Follower(store.observe { try $0.profile("u1").displayName })
        #expect(try await shown.next() == "u1")
        for user in ["u1", "u2", "u1", "u3"] as [UserID] { #expect(try store.profile(user).isPlaceholder) }
        #expect(try await shown.next() == "名字 u1")
        #expect(provider.asked.withLock { Set($0.joined()) } == ["u1", "u2", "u3"])
        #expect(provider.asked.withLock { $0.joined().count } == 3, "each was asked for once")
        try await store.close()
    }

    @Test("C10: the name that came with a chat room's message is shown, and nobody is asked")
    func chatRoomSender() throws {
        try withTemporaryStore { store throws in
            let message = MessageReceived(
                serverID: "m", sender: "guest-7", sentTime: ms(1), content: .text("666"),
                senderProfile: SenderProfile(name: "游客七", avatarURL: "https://x/7"))
            try store.record(Event(message, in: room, origin: .live))
            let shown = try #require(try store.message("m", in: room))
            #expect(try store.read { try $0.senderName(of: shown) } == "游客七")
            #expect(shown.senderProfile?.avatarURL == "https://x/7")
        }
    }

    @Test("C11: P2P, team and chat room by their numbers")
    func kinds() {
        #expect([0, 1, 2].map { ConversationKind(nim: $0) } == [.single, .group, .chatRoom])
        #expect(ConversationKind(nim: 9) == nil)
    }

    @Test(
        "C12, C13, C14: a recent session has the peer's or the team's name, a line of text or type, and the last time")
    func recent() throws {
        try withTemporaryStore { store throws in
            try store.record(
                profiles([("bob", "鲍勃")]), received("a", at: 5, in: peer, text: "在吗"),
                received("b", at: 9, in: team, text: "", type: .image))
            store.contentTypes.label = { _ in "图片消息" }
            let sessions = try store.read { try $0.conversations().conversations }
            #expect(sessions.map(\.displayName) == ["t1", "鲍勃"])
            let lines = sessions.compactMap(\.lastMessage).map { store.contentTypes.preview(of: $0) }
            #expect(lines == ["[图片消息]", "在吗"] && sessions.map(\.activity) == [ms(9), ms(5)])
            #expect(sessions.map(\.lastMessage?.time) == [ms(9), ms(5)])
        }
    }

    @Test("C15: deleting a session is told to the server where wanted; the next message brings it back")
    func delete() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1, in: team))
            let deleted = ConversationDeleted(alsoMessages: true, isRemote: true)
            try store.record(Event(deleted, in: team))
            #expect(try store.list() == [])
            let logged = try store.events(where: EventFilter(types: [.conversationDeleted]))
            #expect(logged.map { AnyHashable($0.event.payload) } == [deleted], "the transport reads the intent")
            try store.record(received("b", at: 2, in: team))
            #expect(try store.list() == [team] && store.texts(of: team) == ["b"])
        }
    }

    @Test("C27, C28: rows have ids that stay; members and profiles feed a picker that leaves some out")
    func picker() throws {
        try withTemporaryStore { store throws in
            try store.record(created(members: ["me", "bob", "ann"], in: team), profiles([("ann", "安")]))
            let members = try store.members(of: team).map(\.id).filter { !["me", "bob"].contains($0) }
            #expect(try members.map { try store.profile($0).displayName } == ["安"])
            let local = try store.enqueue(MessageSendQueued(content: .text("x")), to: team)
            try store.record(sent(local, "s", at: 1, in: team))
            #expect(try store.message("s", in: team)?.id == local, "the row is the same after the answer")
        }
    }
}

@Suite("NIMKit: the session view", .timeLimit(.minutes(30)))
struct NIMKitSessionTests {
    @Test("C16, C18: messages come in display order whatever the order of arrival, twenty at a time")
    func order() throws {
        try withTemporaryStore { store throws in
            try store.record([5, 1, 4, 2, 3].map { received("m\($0)", at: Int64($0)) })
            #expect(try store.texts() == ["m1", "m2", "m3", "m4", "m5"])
            try store.record((6...40).map { received("m\($0)", at: Int64($0)) })
            #expect(try store.read { try $0.timeline(of: group) }.messages.count == 20)
        }
    }

    private struct Cloud: HistoryProvider {
        func page(
            of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
        ) async throws -> RemoteHistoryPage {
            let all = (1...30).map {
                MessageReceived(serverID: "m\($0)", sender: "bob", sentTime: ms(Int64($0)), content: .text("m\($0)"))
            }
            let older = all.filter { message in anchor.map { message.sentTime < $0.time } ?? true }
            return RemoteHistoryPage(messages: older.suffix(limit), reachesBeginning: older.count <= limit)
        }
    }

    @Test("C17, C19: local messages by default, the cloud's where a provider is set and a page has a hole")
    func history() async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.historyProvider = Cloud() }
        try await store.record(received("m30", at: 30))
        let local = try await store.read { try $0.timeline(of: group) }
        #expect(local.texts == ["m30"] && local.hasGapBefore, "worth fetching on entry")
        let page = try await store.history(of: group, limit: 20)
        #expect(page.messages.map(\.serverID) == (11...30).map { "m\($0)" } && page.isContiguous)
        try await store.close()
    }

    @Test("C20: a time stands before the first message and after pauses longer than the interval")
    func timeRows() throws {
        try withTemporaryStore { store throws in
            let times: [Int64] = [1_000, 300_000, 601_000, 901_001]
            try store.record(times.map { received("m\($0)", at: $0) })
            let entries = try store.page().entries(timeRowsEvery: .seconds(300))
            let rows = entries.compactMap { entry -> Timestamp? in
                if case .time(let time) = entry { time } else { nil }
            }
            #expect(rows == [ms(1_000), ms(601_000), ms(901_001)])
        }
    }

    @Test("C21: the dot of a voice message goes when it was listened to")
    func voice() throws {
        try withTemporaryStore { store throws in
            try store.record(received("v", at: 1, type: .audio))
            #expect(try store.message("v")?.flags.contains(.listened) == false)
            try store.record(
                Event(MessageStatusFlagsSet([.server("v")], flags: .listened), in: group))
            #expect(try store.message("v")?.flags.contains(.listened) == true)
        }
    }

    @Test("C22: receipts are owed for read messages that want one, until they are sent")
    func receipts() throws {
        try withTemporaryStore { store throws in
            for (id, wants) in [("a", true), ("b", false), ("c", true)] {
                let message = MessageReceived(
                    serverID: ServerMessageID(id), sender: "bob", sentTime: ms(1), content: .text(id),
                    needsReceipt: wants)
                try store.record(Event(message, in: group, origin: .live))
            }
            #expect(try store.read { try $0.owedReceipts(in: group) } == [])
            try store.record(read())
            #expect(try store.read { try $0.owedReceipts(in: group) }.map(\.serverID) == ["a", "c"])
            try store.record(Event(ReadReceiptSent([.server("a")]), in: group))
            #expect(try store.read { try $0.owedReceipts(in: group) }.map(\.serverID) == ["c"])
        }
    }

    @Test("C23, C30: every kind of message is kept; an unknown one is shown as such with its bytes")
    func contentKinds() throws {
        try withTemporaryStore { store throws in
            let kinds: [ContentType] = [
                .text, .image, .audio, .video, .file, .location, .notification, .call, .custom, .tip, "nim/unheard-of",
            ]
            try store.record(kinds.enumerated().map { received("m\($0)", at: Int64($0 + 1), type: $1) })
            #expect(try store.page().messages.map(\.content.type) == kinds)
            let last = try #require(try store.page().messages.last)
            guard case .unknown = store.contentTypes.decode(last.content) else {
                Issue.record("an unheard-of type was decoded")
                return
            }
        }
    }

    @Test("C24: a failed message has its dot, and one tap tries again")
    func retry() throws {
        try withTemporaryStore { store throws in
            let local = try store.enqueue(MessageSendQueued(content: .text("x")), to: group)
            try store.record(failed(local, code: 408))
            #expect(try store.message(local)?.status == .failed && store.outbox() == [local])
            try store.record(retried(local))
            #expect(try store.message(local)?.status == .sending)
        }
    }

    @Test("C31: every row knows its sender's name and picture")
    func sender() throws {
        try withTemporaryStore { store throws in
            try store.record(
                Event(ProfilesFetched([Profile(id: "bob", name: "鲍勃", avatarURL: "https://x/b")])),
                received("a", at: 1))
            let message = try #require(try store.message("a"))
            #expect(try store.read { try $0.profile(message.sender) }.profile.avatarURL == "https://x/b")
        }
    }
}

@Suite("NIMKit: team provider", .timeLimit(.minutes(30)))
struct NIMKitTeamProviderTests {
    private final class Teams: TeamProvider {
        let asked = Locked<[[ConversationKey]]>([])

        func teams(for ids: [ConversationKey]) async throws -> [TeamInfo] {
            asked.withLock { $0.append(ids) }
            return ids.filter { $0.id != "unknown" }.map { TeamInfo(id: $0, name: "队 \($0.id)") }
        }
    }

    @Test("C3, C5, C7, C9: teams are asked for in batches, again when they changed; an unknown one on demand")
    func provider() async throws {
        let place = try TemporaryStore()
        let lonely = try place.open()
        await #expect(throws: StoreError.self) { _ = try await lonely.fetchTeams([.group("a")]) }
        try await lonely.close()
        let provider = Teams()
        let store = try place.open { $0.teamProvider = provider }
        #expect(try store.team(.group("a")).isPlaceholder && store.team(.group("unknown")).isPlaceholder)
        await eventually { (try? store.team(.group("a")).info.name) == "队 a" }
        _ = try store.team(.group("unknown"))
        #expect(provider.asked.withLock { Set($0.joined()) } == [.group("a"), .group("unknown")])
        try await store.record(Event(TeamInfoInvalidated([.group("a")])))
        #expect(try store.team(.group("a")).isStale)
        await eventually { (try? store.team(.group("a")).isStale) == false }
        // A display asks again after a while, too.
        let before = provider.asked.withLock { $0.joined().filter { $0.id == "unknown" }.count }
        #expect(try await store.fetchTeams([.group("unknown")]).first?.isPlaceholder == true)
        #expect(provider.asked.withLock { $0.joined().filter { $0.id == "unknown" }.count } > before)
        try await store.close()
    }
}
