import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Ten messages `m0` … `m9`, of the types image, text, video in turn.
@Suite("A31, E25, E31: messages found by what they are")
struct MediaTests {
    private func withMessages(_ body: (MessageStore) throws -> Void) throws {
        try withTemporaryStore { store throws in
            let types: [ContentType] = [.image, .text, .video]
            try store.record((0..<10).map { received(id($0), at: Int64($0), type: types[$0 % 3]) })
            try body(store)
        }
    }

    private func id(_ number: Int) -> ServerMessageID { ServerMessageID("m\(number)") }

    private func media(
        _ store: MessageStore, _ types: Set<ContentType> = [.image], around anchor: MessageReference? = nil,
        limit: Int = 1000
    ) throws -> TimelinePage {
        let part = anchor.map { TimelinePart.around(.message($0)) } ?? .latest
        return try store.read { try $0.media(in: group, part, types: types, limit: limit) }
    }

    @Test("A31: all pictures and the place of one among them")
    func pictures() throws {
        try withMessages { store throws in
            #expect(try media(store).texts == ["m0", "m3", "m6", "m9"])
            #expect(try media(store).index == nil)
            let page = try media(store, around: .server("m6"))
            #expect(page.texts == ["m0", "m3", "m6", "m9"] && page.index == 2)
            #expect(!page.hasOlder && !page.hasNewer)
            let part = try media(store, around: .server("m3"), limit: 2)
            #expect(part.texts == ["m0", "m3"] && part.index == 1)
            #expect(!part.hasOlder && part.hasNewer)
        }
    }

    @Test("A31: pictures around a message that is none")
    func aroundText() throws {
        try withMessages { store throws in
            let page = try media(store, around: .server("m4"), limit: 2)
            #expect(page.texts == ["m3", "m6"] && page.index == nil)
            #expect(page.hasOlder && page.hasNewer)
        }
    }

    @Test("E25: several types are merged in the conversation's order, with text or without")
    func merged() throws {
        try withMessages { store throws in
            #expect(try media(store, [.image, .video]).texts == ["m0", "m2", "m3", "m5", "m6", "m8", "m9"])
            let page = try media(store, [.image, .video], around: .server("m5"), limit: 4)
            #expect(page.texts == ["m2", "m3", "m5", "m6"] && page.index == 2)
            #expect(try store.page(types: [.image, .video], limit: 3).texts == ["m6", "m8", "m9"])
            #expect(try store.page(types: [.image, .text], limit: 3).texts == ["m6", "m7", "m9"])
            #expect(try media(store, ["never"]).elements.isEmpty)
            #expect(try media(store, []).elements.isEmpty)
        }
    }

    @Test("recalled, deleted and cleared pictures are not shown")
    func gone() throws {
        try withMessages { store throws in
            try store.record(recalled("m6"), deleted("m9"), cleared(order(0)))
            #expect(try media(store).texts == ["m3"])
            #expect(try media(store, around: .server("m6")).index == nil)
            #expect(try media(store, around: .server("m6")).hasOlder == false)
            #expect(try store.page(types: [.image]).elements.map(\.serverID) == ["m3", "m6"])
            #expect(try store.isConsistent())
        }
    }

    @Test("d2: a picture that is acknowledged moves to its place")
    func acknowledged() throws {
        try withMessages { store throws in
            let image = MessageContent(type: .image, text: "mine")
            let local = try store.local(Event(MessageSendQueued(content: image), in: group))
            #expect(try media(store).texts.last == "mine")
            try store.record(sent(local, "s", at: 4))
            #expect(try media(store).texts == ["m0", "m3", "mine", "m6", "m9"])
            #expect(try store.isConsistent())
        }
    }

    @Test("d3: anchors are checked")
    func arguments() throws {
        try withMessages { store throws in
            expectError(.notFound) { _ = try media(store, around: .server("nobody")) }
            #expect(try store.read { try $0.media(in: peer) }.elements.isEmpty)
        }
    }

    @Test("mentions of this account, newest first, and the unread ones, oldest first")
    func mentions() throws {
        try withMessages { store throws in
            let me = TemporaryStore.account
            try store.record(
                received("a", at: 20, mentions: [me]), received("b", at: 21, mentions: ["bob"]),
                received("c", at: 22, mentions: [me]), received("d", at: 23, policy: .silent, mentions: [me]),
                received("e", at: 24, from: me, mentions: [me]), received("f", at: 25, mentions: [me]))
            func found() throws -> [String?] {
                try store.read { views in try views.all(atMost: 6) { try $0.mentions(in: group, after: $1, limit: 1) } }
                    .map(\.content.text)
            }
            func unread() throws -> [String?] {
                try store.read { views in
                    try views.all(atMost: 6) { try $0.unreadMentions(in: group, after: $1, limit: 1) }
                }.map(\.content.text)
            }
            #expect(try found() == ["f", "d", "c", "a"])
            #expect(try unread() == ["a", "c", "f"])
            try store.record(read(order(20)), recalled("f"))
            #expect(try found() == ["d", "c", "a"])
            #expect(try unread() == ["c"])
            try store.record(cleared())
            #expect(try found().isEmpty && unread().isEmpty)
            #expect(try store.isConsistent())
        }
    }

    @Test("E31: unread messages of some types")
    func unreadByType() throws {
        try withMessages { store throws in
            func unread(_ types: Set<ContentType>) throws -> Int {
                try store.read { try $0.unreadCount(of: group, types: types) }
            }
            #expect(try unread([.image]) == 4 && unread([.text]) == 3 && unread([.image, .text, .video]) == 10)
            try store.record(read(order(3)), recalled("m6"))
            #expect(try unread([.image]) == 1 && unread([.text]) == 2 && unread([.video]) == 2)
            #expect(try unread([.image, .text, .video]) == store.unread().messages)
            #expect(try unread([]) == 0 && unread(["never"]) == 0)
            #expect(try store.read { try $0.unreadCount(of: peer, types: [.image]) } == 0)
        }
    }
}

extension TimelinePage {
    var texts: [String] { elements.map { $0.content.text ?? "" } }
}
