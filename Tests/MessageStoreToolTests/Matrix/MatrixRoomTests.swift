import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Matrix: rooms")
struct MatrixRoomTests {
    private func state(_ type: String, _ id: String, _ content: String) -> String {
        event(type, id, content, stateKey: "")
    }

    @Test("B5, B7: state becomes a conversation's fields; attributes add up, over imports too")
    func fields() throws {
        let place = try MatrixPlace()
        try place.importing(
            response(
                join: room(state: [
                    state("m.room.join_rules", "$1", #"{"join_rule":"public"}"#),
                    state("m.room.create", "$2", #"{"creator":"@cy:here","type":"m.space"}"#),
                    state("m.room.name", "$3", #"{"name":"Editors"}"#),
                    state("m.room.avatar", "$4", #"{"url":"mxc://p"}"#),
                ])))
        let long = String(repeating: "t", count: 200)
        try place.importing(
            response("b2", join: room(timeline: [state("m.room.topic", "$5", #"{"topic":"\#(long)"}"#)])),
            response("b3", join: room(timeline: [state("m.room.join_rules", "$6", "{}")])))
        let conversation = try #require(try place.conversation())
        #expect(conversation.name == "Editors" && conversation.avatarURL == "mxc://p")
        #expect(conversation.creator == "@cy:here")
        #expect(String(decoding: conversation.attributes, as: UTF8.self) == #"{"topic":"\#(long)","type":"m.space"}"#)
        let indexed = try place.bodies(.conversationUpdated).compactMap { body in
            if let update = body as? ConversationUpdated { update.fields.indexed } else { nil }
        }
        #expect(
            indexed == [
                ["join_rule": "public"], ["join_rule": "public", "type": "m.space"],
                ["join_rule": "public", "type": "m.space"], ["type": "m.space"],
            ], "a value longer than 128 bytes is not indexed")
    }

    @Test("a direct room is a conversation of two people, also where that is learnt later; its key stays")
    func direct() throws {
        let place = try MatrixPlace()
        let direct = #"{"type":"m.direct","content":{"@ann:here":["!r:here","!s:here"]}}"#
        try place.importing(response("b1", join: room(timeline: [text("$1")])))
        try place.importing(
            response(
                "b2", join: room(timeline: [text("$2")]) + "," + room("!s:here", timeline: [text("$3")]),
                accountData: [direct]))
        try place.importing(response("b3", join: room("!s:here", timeline: [text("$4")])))
        let keys = try place.store.events(where: EventFilter(types: [.messageReceived])).map(\.event.conversation)
        #expect(keys == [.group("!r:here"), .group("!r:here"), .single("!s:here"), .single("!s:here")])
        #expect(try place.conversation(.group("!r:here"))?.kind == .single)
        let told = [AnyHashable(ConversationUpdated(ConversationFields(kind: .single)))]
        #expect(try place.bodies(.conversationUpdated) == told)
        // The same again tells nothing; a room that is direct no more is a group.
        let fewer = #"{"type":"m.direct","content":{"@ann:here":["!r:here","!new:here"]}}"#
        try place.importing(response("b4", accountData: [direct]), response("b5", accountData: [fewer]))
        #expect(try place.conversation(.single("!s:here"))?.kind == .group)
        #expect(try place.bodies(.conversationUpdated).count == 2)
        try place.importing(response("b6", join: room("!s:here", timeline: [text("$5")]), accountData: [direct]))
        #expect(try place.conversation(.single("!s:here"))?.kind == .single)
        #expect(try place.bodies(.conversationUpdated).count == 3)
    }

    @Test("an invitation tells who invited, and whether to a direct room")
    func invitations() throws {
        let place = try MatrixPlace()
        func stripped(_ user: String, _ content: String) -> String {
            #"{"type":"m.room.member","state_key":"\#(user)","sender":"@ann:here","content":\#(content)}"#
        }
        let name = #"{"type":"m.room.name","state_key":"","sender":"@ann:here","content":{"name":"Tea"}}"#
        let rooms = [
            invitation("!a:here", name, stripped("@me:here", #"{"membership":"invite","is_direct":true}"#)),
            invitation("!b:here", stripped("@bob:here", #"{"membership":"invite"}"#)),
        ]
        try place.importing(response(invite: rooms.joined(separator: ",")))
        let invited = try place.store.events(where: EventFilter(types: [.selfInvited])).map(\.event)
        #expect(invited.map(\.conversation) == [.single("!a:here"), .group("!b:here")])
        #expect(invited.map { AnyHashable($0.payload) } == [SelfInvited(by: "@ann:here"), SelfInvited()])
        #expect(try place.conversation(.single("!a:here"))?.displayName == "Tea")
        #expect(
            try place.bodies(.membersAdded) == [
                MembersAdded(["@bob:here"], kind: .invited, by: "@ann:here")
            ])
    }

    @Test("the server tells all tags, the store what changed, over imports too; a favourite is pinned")
    func tags() throws {
        let place = try MatrixPlace()
        func tags(_ tags: String) -> [String] { [#"{"type":"m.tag","content":{"tags":{\#(tags)}}}"#] }
        try place.importing(response("b1", join: room(accountData: tags(#""m.favourite":{"order":0.5},"u.a":{}"#))))
        #expect(try place.conversation()?.isPinned == true)
        try place.importing(
            response("b2", join: room(accountData: tags(#""u.a":{},"u.b":{}"#))),
            response("b3", join: room(accountData: tags(#""u.b":{},"u.a":{}"#))))
        #expect(try place.conversation()?.isPinned == false)
        #expect(
            try place.bodies(.conversationTagged) == [
                ConversationTagged(add: ["m.favourite", "u.a"]),
                ConversationTagged(add: ["u.b"], remove: ["m.favourite"]),
            ])
    }

    @Test("d27: a limited timeline has a gap before its first event")
    func gap() throws {
        let place = try MatrixPlace()
        try place.importing(
            response("b1", join: room(timeline: [text("$1")])),
            response("b2", join: room(timeline: [text("$2", at: 2000), text("$3", at: 3000)], limited: true)),
            response("b3", join: room(limited: true)))
        let bodies = try place.bodies(.messageReceived, .historyGapFound)
        let before = MessageOrder(time: Timestamp(milliseconds: 2000), id: "$2")
        #expect(bodies.count == 5)
        #expect(bodies[1] as? HistoryGapFound == HistoryGapFound(before: before), "before the messages behind it")
        #expect(bodies[4] as? HistoryGapFound == HistoryGapFound())
    }

    @Test("B15: reading the newest message ends the server's count, though a reaction follows it")
    func unreadCountBeforeReaction() throws {
        let place = try MatrixPlace()
        let reaction = event(
            "m.reaction", "$2", #"{"m.relates_to":{"rel_type":"m.annotation","event_id":"$1","key":"k"}}"#)
        try place.importing(response("b1", join: room(timeline: [text("$1"), reaction], unread: (1, 0))))
        #expect(try place.conversation()?.unread.messages == 1)
        try place.importing(response("b2", join: room(ephemeral: [receipt("$1", "@me:here")])))
        #expect(try place.conversation()?.unread.messages == 0)
    }

    @Test("B15: with a receipt of the account the server's count is that of the moment, without any message")
    func unreadCountWithReceipt() throws {
        let place = try MatrixPlace()
        try place.importing(
            response("b1", join: room(timeline: [text("$1"), text("$2", at: 2000)], unread: (7, 0))),
            response("b2", join: room(ephemeral: [receipt("$1", "@me:here")], unread: (1, 0))))
        #expect(try place.conversation()?.unread.messages == 1)
    }

    @Test("B15, d7: the server's count applies up to the last message sent along; a left room has none")
    func unreadCounts() throws {
        let place = try MatrixPlace()
        let summary = try place.importing(
            response("b1", join: room(timeline: [text("$1"), text("$2", at: 2000)], unread: (11, 3))),
            response("b2", join: room(unread: (0, 0))),
            response("b3", leave: room(timeline: [text("$3", at: 3000)], unread: (4, 0))),
            response("b4", join: room(timeline: [text("$4", at: 4000)], unread: (1, 2))))
        let last = MessageOrder(time: Timestamp(milliseconds: 2000), id: "$2")
        #expect(
            try place.bodies(.unreadCountReported) == [
                UnreadCountReported(11, mentions: 3, upTo: last, at: last.time)
            ])
        #expect(summary.skipped == ["unread count without an event": 1, "not allowed in a store": 1])
    }

    @Test("d8: the mark \"unread\" is the account's own")
    func markedUnread() throws {
        let place = try MatrixPlace()
        let mark = #"{"type":"m.marked_unread","content":{"unread":true}}"#
        try place.importing(response(join: room(timeline: [text("$1", by: "@me:here")], accountData: [mark])))
        #expect(try place.conversation()?.unread.isMarkedUnread == true)
    }
}
