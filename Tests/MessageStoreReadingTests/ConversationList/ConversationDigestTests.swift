import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("what the conversation list shows", .store)
struct ConversationDigestTests {
    @Test("d21: the digest falls back to the message before a deleted one, and the place stays")
    func fallsBack() throws {
        try store.record(received("a", at: 10), received("b", at: 20), received("x", at: 15, in: peer))
        #expect(try store.conversation()?.lastMessage?.text == "b")
        try store.record(deleted("b"))
        #expect(try store.conversation()?.lastMessage?.text == "a")
        #expect(try store.conversation()?.activity == ms(20))
        #expect(try store.list() == [group, peer])
        try store.record(deleted("a"))
        #expect(try store.conversation()?.lastMessage == nil)
        #expect(try store.list() == [group, peer])
    }

    @Test("d15: a recalled message stays the last one, without its text")
    func recall() throws {
        try store.record(received("a", at: 10), received("b", at: 20), recalled("b"))
        let digest = try #require(try store.conversation()?.lastMessage)
        #expect(digest.isRecalled)
        #expect(digest.text == nil)
    }

    @Test("d15: the digest shows the modified text, the type and the sender's name of now")
    func parts() throws {
        try store.record(received("a", at: 10, type: .image), modified("a", "better", at: 11))
        try store.record(profiles([("bob", "Bob")]))
        let digest = try #require(try store.conversation()?.lastMessage)
        #expect(digest.text == "better")
        #expect(digest.contentType == .text)
        #expect(digest.sender == "bob" && digest.senderName == "Bob")
        #expect(digest.time == ms(10))
        #expect(digest.status == .received)
    }

    @Test("E8: silent messages neither show nor move the conversation; uncounted ones do both")
    func policies() throws {
        try store.record(received("a", at: 10), received("s", at: 20, policy: .silent))
        #expect(try store.conversation()?.lastMessage?.text == "a")
        #expect(try store.conversation()?.activity == ms(10))
        try store.record(received("u", at: 30, policy: .uncounted), deleted("u"))
        #expect(try store.conversation()?.lastMessage?.text == "a", "the silent one is stepped over")
        #expect(try store.texts() == ["a", "s"])
    }

    @Test("the digest follows an own message through its life")
    func ownMessage() throws {
        let local = try store.local(queued("mine"))
        #expect(try store.conversation()?.lastMessage?.status == .sending)
        try store.record(failed(local))
        #expect(try store.conversation()?.lastMessage?.status == .failed)
        try store.record(sent(local, "s", at: 5), readByPeer(.upTo(ms(5)), at: 6))
        #expect(try store.conversation()?.lastMessage?.status == .read)
        try store.record(received("later", at: 7))
        #expect(try store.conversation()?.lastMessage?.text == "later")
    }

    @Test("C12: drafts are kept word for word, replaced and removed")
    func drafts() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            for text in ["one", "二 👩‍👩‍👧\n"] {
                try store.record(Event(ConversationDraftChanged(text), in: group))
                #expect(try store.conversation()?.draft == text)
            }
        }
        try place.withStore { store throws in
            #expect(try store.conversation()?.draft == "二 👩‍👩‍👧\n")
            try store.record(Event(ConversationDraftChanged(nil), in: group))
            #expect(try store.conversation()?.draft == nil)
        }
    }

    @Test("C12: the name is the service's, else the peer's, else the id")
    func names() throws {
        let other = ConversationKey.single("dialog-7")
        try store.record(received("a", at: 1), received("a", at: 1, in: peer))
        try store.record(created(members: [TemporaryStore.account, "carol"], in: other))
        #expect(try store.conversation()?.displayName == "g")
        #expect(try store.conversation(peer)?.displayName == "bob")
        #expect(try store.conversation(other)?.displayName == "carol")
        try store.record(profiles([("bob", "Bob B."), ("carol", "Carol")]))
        try store.record(Event(ConversationUpdated(.init(name: "Team")), in: group))
        #expect(try store.conversation()?.displayName == "Team")
        #expect(try store.conversation(peer)?.displayName == "Bob B.")
        #expect(try store.conversation(other)?.displayName == "Carol")
        try store.record(profiles([("bob", nil)]))
        #expect(try store.conversation(peer)?.displayName == "bob")
    }

    @Test("d23: hints mark a conversation outdated until a snapshot comes, which wins")
    func outdated() throws {
        let fields = ConversationFields(name: "Old", creator: "eve", avatarURL: "http://x", attributes: [1, 2])
        try store.record(Event(ConversationCreated(fields, members: ["a", "b"]), in: group))
        #expect(try store.conversation()?.isOutdated == false)
        try store.record(Event(MembersAdded(["c"], kind: .joined), in: group))
        #expect(try store.conversation()?.isOutdated == true)
        #expect(try store.conversation()?.memberCount == 3)
        try store.record(snapshot("New", members: ["b", "d"]))
        let conversation = try #require(try store.conversation())
        #expect(!conversation.isOutdated)
        #expect(conversation.name == "New" && conversation.creator == nil && conversation.avatarURL == nil)
        #expect(conversation.attributes.isEmpty)
        #expect(conversation.memberCount == 2)
    }

    @Test("A21: an update changes the fields it tells and leaves the others, attributes byte for byte")
    func updates() throws {
        let fields = ConversationFields(name: "N", creator: "eve", attributes: [0, 255, 10])
        try store.record(Event(ConversationCreated(fields), in: group))
        try store.record(Event(ConversationUpdated(.init(avatarURL: "u")), in: group))
        let conversation = try #require(try store.conversation())
        #expect(conversation.name == "N" && conversation.creator == "eve" && conversation.avatarURL == "u")
        #expect(conversation.attributes == [0, 255, 10])
    }
}
