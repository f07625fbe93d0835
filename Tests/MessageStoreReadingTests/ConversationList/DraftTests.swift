import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("C12: drafts of any content, of conversations and of threads", .store, .timeLimit(.minutes(30)))
struct DraftTests {
    private static let full = Draft(
        MessageContent(type: "com.example.card", text: "二", data: [0, 255], attributes: [1]),
        attachments: ["图.jpg", "b.pdf"], mentions: ["amy", "bob"], mentionsEveryone: true, replyTo: .server("m1"),
        editing: .local(LocalMessageID(7)))

    private func draft(_ thread: ServerMessageID? = nil, in key: ConversationKey = group) throws -> Draft? {
        try store.read { try $0.draft(in: key, thread: thread) }
    }

    private func record(
        _ draft: Draft?, _ thread: ServerMessageID? = nil, at time: Timestamp? = nil, in key: ConversationKey = group
    ) throws {
        try store.record(Event(ConversationDraftChanged(draft: draft, thread: thread, at: time), in: key))
    }

    private func lastEvent() throws -> RecordedEvent {
        let events = try store.events(from: store.lastPosition(), limit: 1)
        return try #require(events.first)
    }

    @Test("each part of a draft is kept, in conversations and in threads, and one does not touch the other")
    func parts() throws {
        try record(Self.full)
        #expect(try draft() == Self.full)
        #expect(try store.conversation()?.draft == "二")
        try record(Draft("reply"), "m1")
        try record(Self.full, "m2")
        #expect(try draft() == Self.full && draft("m1") == Draft("reply") && draft("m3") == nil)
        #expect(try store.read { try $0.threadDrafts(in: group) } == ["m1": Draft("reply"), "m2": Self.full])
        try record(nil, "m2")
        #expect(try store.read { try $0.threadDrafts(in: group) } == ["m1": Draft("reply")])
        try record(nil)
        #expect(try draft() == nil && store.conversation()?.draftTime == nil && draft("m1") == Draft("reply"))
    }

    @Test("a draft without text is listed by its time; plain text is as it was before")
    func withoutText() throws {
        try record(Draft(MessageContent(type: "com.example.card", data: [1])))
        let conversation = try #require(try store.conversation())
        #expect(conversation.draft == nil && conversation.draftTime != nil && !conversation.isHidden)
        try store.record(.draftChanged("text", in: group))
        #expect(try draft() == Draft("text"))
        // The bytes of a plain text are those that earlier versions wrote.
        #expect(ConversationDraftChanged("text") == ConversationDraftChanged(draft: Draft("text")))
        let event = try lastEvent().event.payload as? ConversationDraftChanged
        #expect(event?.text == "text" && event?.isThere == true && event?.draft == Draft("text"))
    }

    @Test(
        "several devices: the latest draft of a thread holds, and a deletion of the conversation ends all that are older"
    )
    func merging() throws {
        for order in [[900, 800], [800, 900]] {
            let thread = ServerMessageID("m\(order[0])")
            for time in order { try record(Draft("\(time)"), thread, at: ms(Int64(time))) }
            #expect(try draft(thread) == Draft("900"))
        }
        try record(nil, "m900", at: ms(899))
        #expect(try draft("m900") == Draft("900"))
        try record(nil, "m900", at: ms(901))
        #expect(try draft("m900") == nil)
        try store.record(conversationDeleted())
        let before = try lastEvent().recordedTime
        #expect(try store.read { try $0.threadDrafts(in: group) }.isEmpty)
        // Of a thread that had a draft, and of one that had none.
        for thread: ServerMessageID in ["m800", "new"] {
            try record(Draft("late"), thread, at: Timestamp(milliseconds: before.milliseconds - 1))
            #expect(try draft(thread) == nil)
            try record(Draft("later"), thread)
            #expect(try draft(thread) == Draft("later"))
        }
    }

    @Test("redaction leaves the structure of a draft and removes its words")
    func redacted() throws {
        try record(Self.full, "m1")
        try store.redact(store.lastPosition())
        let left = try #require(try draft("m1"))
        #expect(left.content == MessageContent(type: "com.example.card") && left.attachments.isEmpty)
        #expect(left.replyTo == .server("m1") && left.mentions == ["amy", "bob"])
    }

    @Test("a live query of a draft has a new value when it changes, and none when another thread's does")
    func observed() async throws {
        var values = store.observe { try $0.draft(in: group, thread: "m1") }.makeAsyncIterator()
        #expect(try await values.next() == .some(nil))
        try record(Draft("other"), "m2")
        try record(Draft("one"), "m1")
        #expect(try await values.next() == Draft("one"))
    }
}
