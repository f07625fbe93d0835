import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Matrix: receipts")
struct MatrixReceiptTests {
    @Test("an own receipt moves the marker where its event is known, of this response or an earlier one")
    func own() throws {
        let place = try MatrixPlace()
        let messages = [text("$1"), text("$2", at: 2000), text("$3", at: 3000)]
        try place.importing(response("b1", join: room(timeline: messages, ephemeral: [receipt("$1", "@me:here")])))
        #expect(try place.conversation()?.unread.messages == 2)
        let summary = try place.importing(
            response("b2", join: room(ephemeral: [receipt("$lost", "@me:here")])),
            response("b3", join: room(ephemeral: [receipt("$2", "@me:here", kind: "m.read.private")])))
        #expect(try place.conversation()?.unread.messages == 1)
        #expect(summary.skipped == ["receipt of an unknown event": 1])
    }

    @Test("a member's receipt stands for the event and all before it; of an unknown event, for that alone")
    func peers() throws {
        let place = try MatrixPlace()
        let messages = [text("$1", by: "@me:here"), text("$2", at: 2000), text("$3", by: "@me:here", at: 3000)]
        try place.importing(
            response(
                "b1",
                join: room(
                    timeline: messages, ephemeral: [receipt("$2", "@ann:here"), receipt("$lost", "@bob:here")])))
        let (read, time) = (Timestamp(milliseconds: 5000), Timestamp(milliseconds: 2000))
        #expect(
            try place.bodies(.messageReadByPeer) == [
                MessageReadByPeer(.upTo(time), by: "@ann:here", at: read),
                MessageReadByPeer(.messages([.server("$lost")]), by: "@bob:here", at: read),
            ])
        #expect(try place.message("$1")?.status == .read && place.message("$3")?.status == .sent)
    }

    @Test("receipts of threads, typing and what fades are counted, not recorded")
    func skipped() throws {
        let place = try MatrixPlace()
        let typing = #"{"type":"m.typing","content":{"user_ids":["@ann:here"]}}"#
        let extra = """
            ,"presence":{"events":[{},{}]},"to_device":{"events":[{}]},\
            "device_lists":{"changed":["@ann:here"],"left":[]},"device_one_time_keys_count":{"signed_curve25519":50}
            """
        let receipts = [
            receipt("$1", "@ann:here", receipt: #"{"ts":1,"thread_id":"$root"}"#),
            receipt("$1", "@bob:here", receipt: #"{"ts":1,"thread_id":"main"}"#),
        ]
        let summary = try place.importing(
            response(
                join: room(timeline: [text("$1")], ephemeral: receipts + [typing]),
                accountData: [#"{"type":"m.push_rules","content":{}}"#], extra: extra))
        #expect(summary.skipped == ["receipt of a thread": 1, "ephemeral": 6, "other account data": 1])
        #expect(try place.bodies(.messageReadByPeer).count == 1)
    }
}
