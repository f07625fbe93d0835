import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Matrix: messages of a timeline")
struct MatrixMessageTests {
    @Test(
        "E8: the message type decides the content type and whether it counts",
        arguments: [
            ("m.text", ContentType.text, 1), ("m.notice", .notice, 0), ("m.emote", .action, 1), ("m.image", .image, 1),
            ("m.audio", .audio, 1), ("m.video", .video, 1), ("m.file", .file, 1), ("m.location", .location, 1),
            ("org.example.poll", "matrix/org.example.poll", 1),
        ])
    func types(name: String, type: ContentType, unread: Int) throws {
        let place = try MatrixPlace()
        let content = #"{"msgtype":"\#(name)","body":"words"}"#
        try place.importing(response(join: room(timeline: [event("m.room.message", "$1", content)])))
        let message = try #require(try place.message("$1"))
        #expect(message.content.type == type && message.content.text == "words")
        #expect(message.sender == "@ann:here" && message.time == Timestamp(milliseconds: 1000))
        #expect(try place.conversation()?.unread.messages == unread)
    }

    @Test("the whole content stands in `data`, its members sorted, its values unchanged")
    func data() throws {
        let place = try MatrixPlace()
        let extra = #","z":[1,-9007199254740993,true,null,1.5,{}],"a":{"url":"mxc://h/\u00e9","d":"\ud83d\ude00"}"#
        try place.importing(response(join: room(timeline: [text("$1", content: extra)])))
        let data = try #require(try place.message("$1")).content.data
        let expected = """
            {"a":{"d":"😀","url":"mxc://h/é"},"body":"words","msgtype":"m.text",\
            "z":[1,-9007199254740993,true,null,1.5,{}]}
            """
        #expect(String(decoding: data, as: UTF8.self) == expected)
    }

    @Test("mentions, replies and threads become the context; a thread's fallback is no reply")
    func context() throws {
        let place = try MatrixPlace()
        let mentions = #","m.mentions":{"user_ids":["@me:here",7],"room":true}"#
        let reply = #","m.relates_to":{"m.in_reply_to":{"event_id":"$1"}}"#
        let relation = #""rel_type":"m.thread","event_id":"$1","m.in_reply_to":{"event_id":"$2"}"#
        try place.importing(
            response(
                join: room(timeline: [
                    text("$1", content: mentions), text("$2", content: reply),
                    text("$3", content: #","m.relates_to":{"is_falling_back":true,\#(relation)}"#),
                    text("$4", content: #","m.relates_to":{"is_falling_back":false,\#(relation)}"#),
                ])))
        let contexts = try place.bodies(.messageReceived).map { body in
            if let received = body as? MessageReceived { received.context } else { MessageContext.none }
        }
        #expect(
            contexts == [
                MessageContext(mentions: ["@me:here"], mentionsEveryone: true), MessageContext(replyTo: "$1"), .none,
                MessageContext(replyTo: "$2"),
            ])
    }

    @Test("I4: the transaction id of an own message is its token; that of others is not")
    func token() throws {
        let place = try MatrixPlace()
        let unsigned = #","unsigned":{"transaction_id":"t1"}"#
        let id = try place.store.send(MessageSendQueued(content: .text("words"), clientToken: "t1"), to: place.room)
        try place.importing(
            response(
                join: room(timeline: [
                    text("$1", by: "@me:here", extra: unsigned), text("$2", extra: unsigned),
                ])))
        #expect(try place.message("$1")?.id == id, "the echo of what was sent here")
        #expect(try place.message("$1")?.status == .sent)
        #expect(try place.message("$2")?.isOutgoing == false)
    }

    @Test("an edit is a modification; encrypted ones keep their content")
    func edits() throws {
        let place = try MatrixPlace()
        let relation = #","m.relates_to":{"rel_type":"m.replace","event_id":"$1"}"#
        let new = #","m.new_content":{"msgtype":"m.emote","body":"new"}"#
        let encrypted = #"{"algorithm":"a","ciphertext":"c""#
        try place.importing(
            response(
                join: room(timeline: [
                    text("$1"), text("$2", "* new", at: 2000, content: relation + new),
                    text("$3", "* lost", at: 3000, content: relation),
                    event("m.room.encrypted", "$4", encrypted + "}"),
                    event("m.room.encrypted", "$5", encrypted + relation.replacing("$1", with: "$4") + "}"),
                ])))
        let message = try #require(try place.message("$1"))
        #expect(message.isModified && message.content.text == "new" && message.content.type == .action)
        #expect(try place.message("$2") == nil && place.message("$3") == nil)
        let secret = try #require(try place.message("$4"))
        #expect(secret.isModified && secret.content.type == "matrix/m.room.encrypted")
        #expect(String(decoding: secret.content.data, as: UTF8.self).contains("m.replace"))
        #expect(try place.conversation()?.unread.messages == 2)
    }

    @Test("an edit by another, or of a message that is not known, is counted and changes nothing")
    func foreignEdits() throws {
        let place = try MatrixPlace()
        func edit(of target: String) -> String {
            #","m.relates_to":{"rel_type":"m.replace","event_id":"\#(target)"},"m.new_content":{"msgtype":"m.text","body":"forged"}"#
        }
        let first = try place.importing(
            response(
                join: room(timeline: [
                    text("$1"), text("$2", by: "@eve:here", at: 2000, content: edit(of: "$1")),
                    text("$3", at: 3000, content: edit(of: "$9")),
                ])))
        #expect(first.skipped?["edit of an unknown or another's message"] == 2)
        let later = try place.importing(
            response(
                "b2",
                join: room(timeline: [
                    text("$4", by: "@eve:here", at: 4000, content: edit(of: "$1")), text("$9", "as sent", at: 5000),
                ])))
        #expect(later.skipped?["edit of an unknown or another's message"] == 1)
        #expect(try place.message("$1")?.isModified == false)
        #expect(try place.message("$9")?.content.text == "as sent")
    }

    @Test("other events of a timeline are kept silently, as messages of their own type")
    func others() throws {
        let place = try MatrixPlace()
        let summary = try place.importing(
            response(join: room(timeline: [event("m.sticker", "$1", #"{"body":"smile","url":"mxc://h/s"}"#)])))
        #expect(try place.message("$1")?.content.type == "matrix/m.sticker")
        #expect(try place.conversation()?.unread.messages ?? 0 == 0)
        #expect(try place.conversation()?.lastMessage == nil)
        #expect(summary.messages == 1)
    }

    @Test("a reaction is added, and removed where it is redacted; other redactions recall")
    func reactionsAndRedactions() throws {
        let place = try MatrixPlace()
        let annotation = #"{"m.relates_to":{"rel_type":"m.annotation","event_id":"$1","key":"👍"}}"#
        try place.importing(
            response(
                "b1",
                join: room(timeline: [
                    text("$1"), text("$2"), event("m.reaction", "$3", annotation, by: "@bob:here", at: 2000),
                ])),
            response(
                "b2",
                join: room(timeline: [
                    event("m.room.redaction", "$4", "{}", by: "@bob:here", at: 3000, extra: #","redacts":"$3""#),
                    event("m.room.redaction", "$5", #"{"redacts":"$1","reason":"why"}"#, by: "@mod:here"),
                ])))
        let (message, bob) = (MessageReference.server("$1"), UserID("@bob:here"))
        #expect(
            try place.bodies(.reactionAdded, .reactionRemoved, .messageRecalled) == [
                ReactionAdded(message, key: "👍", by: bob, at: Timestamp(milliseconds: 2000)),
                ReactionRemoved(message, key: "👍", by: bob, at: Timestamp(milliseconds: 3000)),
                MessageRecalled(message, by: "@mod:here", reason: "why"),
            ])
        #expect(try place.message("$1")?.isRecalled == true && place.message("$2")?.isRecalled == false)
    }

    @Test("a message that comes redacted is a recalled one")
    func redactedOnArrival() throws {
        let place = try MatrixPlace()
        let unsigned = #","unsigned":{"redacted_because":{"event_id":"$2","sender":"@mod:here","content":{}}}"#
        try place.importing(
            response(join: room(timeline: [event("m.room.message", "$1", "{}", extra: unsigned)])),
            response("b2", join: room(timeline: [event("m.room.redaction", "$2", #"{"redacts":"$1"}"#)])))
        #expect(try place.message("$1")?.isRecalled == true)
        #expect(try place.conversation()?.unread.messages == 0)
        #expect(try place.bodies(.messageRecalled).count == 1, "told twice, recorded once")
    }
}
