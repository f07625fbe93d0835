import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("tags, drafts and invalidations of conversations", .store)
struct ConversationStateTests {
    private func key(_ number: Int) -> ConversationKey { .group("g\(number)") }

    private func tagged(add: [String] = [], remove: [String] = [], in key: ConversationKey) -> Event {
        Event(ConversationTagged(add: add, remove: remove), in: key)
    }

    private func drafted(_ text: String?, in key: ConversationKey) -> Event {
        Event(ConversationDraftChanged(text), in: key)
    }

    private func tagged(with tag: String, _ store: MessageStore) throws -> [ConversationKey] {
        try store.read { try $0.conversations(tagged: tag).elements.map(\.key) }
    }

    @Test("tags are put on, taken off, found, and outlive a snapshot, which is the service's")
    func tags() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(tagged(add: ["work", "äö", "work"], in: key(1)), tagged(add: ["work"], in: key(2)))
            #expect(try store.conversation(key(1))?.tags == ["work", "äö"])
            #expect(try tagged(with: "work", store) == [1, 2].map(key))
            try store.record(tagged(add: ["a"], remove: ["work", "none"], in: key(1)), snapshot("N", in: key(1)))
        }
        try place.withStore { store throws in
            #expect(try store.conversation(key(1))?.tags == ["a", "äö"])
            #expect(try tagged(with: "work", store) == [key(2)])
            #expect(try tagged(with: "äö", store) == [key(1)])
            let both = ConversationQuery(.all([.name(.equal("N")), .tagged("a")]))
            #expect(try store.read { try $0.conversations(matching: both).elements.map(\.key) } == [key(1)])
            #expect(try store.isConsistent())
        }
    }

    @Test("a tag that is taken off and put on at once is on; tags are compared byte for byte")
    func tagBytes() throws {
        try store.record(tagged(add: ["t", "\u{E9}"], in: key(1)))
        try store.record(tagged(add: ["t"], remove: ["t", "e\u{301}"], in: key(1)))
        #expect(try store.conversation(key(1))?.tags.count == 2)
        #expect(try tagged(with: "e\u{301}", store) == [])
        #expect(try tagged(with: "\u{E9}", store) == [key(1)])
    }

    @Test("a conversation that had nothing but a draft goes with it; one that was deleted is listed while it has one")
    func draftAlone() throws {
        try store.record(drafted("unsent", in: key(1)))
        #expect(try store.list() == [key(1)])
        try store.record(drafted(nil, in: key(1)))
        #expect(try store.list() == [])
        #expect(try store.conversation(key(1))?.isHidden == true)
        try store.record(received("a", at: 10, in: key(2)), conversationDeleted(in: key(2)))
        try store.record(drafted("again", in: key(2)))
        #expect(try store.list() == [key(2)])
        #expect(try store.conversation(key(2))?.isHidden == false)
        try store.record(drafted(nil, in: key(2)))
        #expect(try store.list() == [])
        try store.record(received("b", at: 5, in: key(1)), drafted("x", in: key(1)), drafted(nil, in: key(1)))
        #expect(try store.list() == [key(1)])
    }

    @Test(
        "what is only muted or cleared is not listed, and keeps its setting for when it is", arguments: [true, false])
    func onlyMuted(isSummary: Bool) throws {
        try withTemporaryStore { store throws in
            let mute =
                isSummary ? Event(ConversationSummaryReceived(isMuted: true), in: key(1)) : muted(in: key(1))
            try store.record(mute, cleared(in: key(2)))
            #expect(try store.list() == [])
            #expect(try store.conversation(key(1))?.isMuted == true)
            #expect(
                try store.read {
                    try $0.conversations(matching: ConversationQuery(.id(.equal("g1")))).elements.isEmpty
                })
            try store.record(received("a", at: 10, in: key(1)))
            #expect(try store.list() == [key(1)])
            #expect(try store.conversation(key(1))?.isMuted == true)
        }
    }

    @Test("a draft lifts its conversation by the device's clock; without it the conversation falls back")
    func drafts() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(received("a", at: 10, in: key(1)), received("b", at: 20, in: key(2)))
            try store.record(drafted("unsent", in: key(1)))
            #expect(try store.list() == [1, 2].map(key))
            let conversation = try #require(try store.conversation(key(1)))
            #expect(conversation.draftTime == place.time.now && conversation.activity == place.time.now)
            place.time.move(byMilliseconds: 1000)
            try store.record(drafted("more", in: key(1)))
            #expect(try store.conversation(key(1))?.draftTime == place.time.now)
            try store.record(drafted(nil, in: key(1)))
            #expect(try store.list() == [2, 1].map(key))
            #expect(try store.conversation(key(1))?.draftTime == nil)
            #expect(try store.conversation(key(1))?.activity == ms(10))
            #expect(try store.isConsistent())
        }
    }

    @Test("a message newer than the draft decides; deleting the conversation removes the draft and its time")
    func draftsAndMessages() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            let later = Timestamp(milliseconds: place.time.now.milliseconds + 5)
            try store.record(drafted("unsent", in: key(1)), received("a", at: later.milliseconds, in: key(1)))
            #expect(try store.conversation(key(1))?.activity == later)
            try store.record(drafted("unsent", in: key(2)), conversationDeleted(in: key(2)))
            try store.record(received("b", at: 10, in: key(2)))
            #expect(try store.conversation(key(2))?.activity == ms(10))
            #expect(try store.conversation(key(2))?.draftTime == nil)
        }
    }

    @Test("d23: an invalidated conversation is outdated until a snapshot comes")
    func invalidation() throws {
        try store.record(
            created("N", in: key(1)), Event(ConversationInvalidated(), in: key(1)))
        #expect(try store.conversation(key(1))?.isOutdated == true)
        #expect(try store.conversation(key(1))?.name == "N")
        try store.record(snapshot("M", in: key(1)))
        #expect(try store.conversation(key(1))?.isOutdated == false)
    }
}
