import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Written from LeanCloud's realtime document: messages, their status, their types.
@Suite("LeanCloud: messages", .store, .timeLimit(.minutes(30)))
struct LeanCloudMessageTests {
    @Test(
        "B8, B10, B53: a message has content, sender, conversation, id and two times; direction follows from the sender"
    )
    func columns() throws {
        let local = try store.send(MessageSendQueued(content: .text("耗子，起床！")), to: group)
        let before = try #require(try store.message(local))
        #expect(before.serverID == nil && before.isTimeProvisional && before.isOutgoing)
        try store.record(sent(local, "m1", at: 100), delivered(.messages([.server("m1")]), at: 150))
        try store.record(received("m2", at: 200, from: "Jerry"))
        let mine = try #require(try store.message("m1"))
        #expect(mine.time == ms(100) && mine.deliveredTime == ms(150) && !mine.isTimeProvisional)
        let other = try #require(try store.message("m2"))
        #expect(other.sender == "Jerry" && !other.isOutgoing && other.conversation == group)
    }

    @Test(
        "B9, B12, B19: sending, sent, delivered, failed; success means accepted, and a receipt comes where one was wanted"
    )
    func statuses() throws {
        let wanted = try store.send(MessageSendQueued(content: .text("x"), needsReceipt: true), to: group)
        #expect(try store.message(wanted)?.status == .sending)
        try store.record(failed(wanted))
        #expect(try store.message(wanted)?.status == .failed)
        try store.record(retried(wanted), sent(wanted, "m1", at: 1))
        #expect(try store.message(wanted)?.status == .sent)
        try store.record(delivered(.messages([.server("m1")]), at: 2))
        #expect(try store.message(wanted)?.status == .delivered && store.message(wanted)?.needsReceipt == true)
        #expect(
            try store.read { try $0.receipts(of: .local(wanted), in: group) }.delivered.map(\.member) == ["bob"])
        try store.record(received("m2", at: 3))
        #expect(try store.message("m2")?.status == .received, "those of others have none")
    }

    @Test("B11, B39: a transient message is delivered and forgotten; one to be sent is no business of the store")
    func transient() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let stream = store.deliveries()
        try await store.record(received("typing", at: 1, policy: .transient))
        #expect(try store.lastPosition() == .origin && store.list() == [])
        expectError(.invalidArgument) {
            _ = try store.send(MessageSendQueued(content: .text("…"), policy: .transient), to: group)
        }
        try await store.close()
        var told: [Bool] = []
        for await delivery in stream { told.append(delivery.isTransient) }
        #expect(told == [true])
    }

    @Test("B15, X2: a number alone lists its conversation, moves it up and brings it back")
    func unreadNumbers() throws {
        let other = ConversationKey.group("other")
        let place = try TemporaryStore()
        try place.withStore { store throws in
            place.time.set(ms(5_000))
            try store.record(.unreadCountReported(7, in: group))
            #expect(try store.list() == [group], "nothing else is known of it")
            #expect(try store.totals().badge == 7 && store.conversation()?.activity == ms(5_000))
            #expect(try store.page().hasGapAfter)
            try store.record(received("o", at: 6_000, in: other))
            #expect(try store.list() == [other, group])
            // What is fetched was counted; what is told live was not.
            try store.record((1...7).map { received(ServerMessageID("m\($0)"), at: Int64($0), origin: .history) })
            #expect(try store.unread().messages == 7)
            place.time.set(ms(7_000))
            try store.record(received("live", at: 7_000))
            #expect(try store.unread().messages == 8)
            try store.record(conversationDeleted())
            #expect(try store.list() == [other] && store.totals().badge == 1)
            place.time.set(ms(8_000))
            try store.record(.unreadCountReported(0, in: group))
            #expect(try store.list() == [other], "nothing is unread in it")
            try store.record(.unreadCountReported(2, in: group))
            #expect(try store.list() == [group, other] && store.totals().badge == 3)
            try store.record(read())
            #expect(try store.list() == [group, other] && store.totals().badge == 1)
        }
    }

    @Test("B15, d20: a report lists a deleted conversation again unless its last message was known", arguments: [1, 2])
    func knownReport(last: Int64) throws {
        try store.record(received("m1", at: 1), conversationDeleted())
        try store.record(.unreadCountReported(3, upTo: order(last, "m\(last)"), in: group, at: ms(9)))
        #expect(try store.list() == (last == 1 ? [] : [group]))
        #expect(try store.totals().badge == (last == 1 ? 0 : 3))
    }

    @Test("A12, B22: the mark lists and brings back, an invitation stands at its time")
    func marksAndInvitations() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            place.time.set(ms(50))
            try store.record(received("m", at: 20), markedUnread(in: peer))
            #expect(try store.list() == [group, peer] && store.totals().badge == 2)
            try store.record(conversationDeleted(in: peer), markedUnread(false, in: peer))
            #expect(try store.list() == [group] && store.totals().badge == 1)
            try store.record(markedUnread(in: peer))
            #expect(try store.list() == [group, peer] && store.totals().badge == 2)
            try store.record(Event(SelfInvited(by: "Tom"), in: .group("told"), serverTime: ms(30)))
            try store.record(Event(SelfInvited(by: "Tom"), in: .group("untold")))
            #expect(try store.list() == [.group("untold"), .group("told"), group, peer])
        }
    }

    @Test("d5: a message that counts is listed, even where it may not be the last message")
    func countedAlone() throws {
        try store.record(received("m", at: 1, policy: MessagePolicy(updatesLastMessage: false)))
        #expect(try store.list() == [group] && store.totals().badge == 1)
        #expect(try store.conversation()?.lastMessage == nil && store.conversation()?.activity == nil)
    }

    @Test("B27, B28, B34: standard types have negative numbers, 0 is reserved, an app's are positive; others stay raw")
    func numbers() throws {
        struct Reserved: JSONPayload { static let contentType = ContentType(0, in: .leanCloud) }
        struct Operation: JSONPayload {
            static let contentType = ContentType(1, in: .leanCloud)
            var op: String?
        }
        try withTemporaryStore { store throws in
            try store.contentTypes.reserve(.leanCloud)
            #expect(
                TypeNamespace.leanCloud.type(for: -1) == .text && TypeNamespace.leanCloud.type(for: -5) == .location)
            expectError(.invalidArgument) { try store.contentTypes.register(Reserved.self) }
            let raw = MessageContent(
                type: ContentType(1, in: .leanCloud), data: Array(#"{"op":"换话题"}"#.utf8),
                attributes: Array(#"{ "k" : [1, 2.50] }"#.utf8))
            try store.record(
                Event(
                    MessageReceived(serverID: "o", sender: "Tom", sentTime: ms(1), content: raw),
                    in: group))
            let content = try #require(try store.message("o")?.content)
            #expect(content == raw, "attributes and bytes come back as they were")
            try store.contentTypes.register(Operation.self)
            guard case .payload(let payload) = store.contentTypes.decode(content) else {
                Issue.record("not decoded")
                return
            }
            #expect((payload as? Operation)?.op == "换话题")
        }
    }

    @Test("B29: a text without words is refused where it is sent, if the service requires them, and nowhere else")
    func textIsRequired() throws {
        _ = try store.send(MessageSendQueued(content: TextPayload(nil).encode()), to: group)
        try store.contentTypes.reserve(.leanCloud)
        for content in [
            MessageContent(type: .text), TextPayload(nil).encode(),
            MessageContent(type: ContentType(-1, in: .leanCloud)),
        ] {
            expectError(.invalidArgument) { _ = try store.send(MessageSendQueued(content: content), to: group) }
        }
        _ = try store.send(MessageSendQueued(content: .text("你好")), to: group)
        _ = try store.send(
            MessageSendQueued(content: try ImagePayload(MediaFile(url: "https://x/1.png")).encode()), to: group)
        // What others sent is kept as it came.
        try store.record(.received("m", from: "Tom", in: group, at: ms(1), content: MessageContent(type: .text)))
        #expect(try store.page().elements.count == 4)
    }

    @Test("B33: a file has a path here before it is sent and an address there after")
    func attachment() throws {
        let local = try store.send(MessageSendQueued(content: MessageContent(type: .file)), to: group)
        let named = MessageReference.local(local)
        try store.record(
            Event(
                AttachmentStateChanged(named, state: .uploading, localPath: "/tmp/a.pdf"),
                in: group))
        #expect(try store.message(local)?.attachment?.localPath == "/tmp/a.pdf")
        let uploaded = AttachmentStateChanged(
            named, state: .available, localPath: "/tmp/a.pdf", remoteURL: "https://x/a")
        try store.record(Event(uploaded, in: group))
        #expect(try store.message(local)?.attachment?.remoteURL == "https://x/a")
    }

    @Test("B48: push words travel with the message")
    func push() throws {
        let message = MessageSendQueued(content: .text("x"), context: MessageContext(pushText: "有新消息"))
        #expect(try store.message(store.send(message, to: group))?.context.pushText == "有新消息")
    }
}
