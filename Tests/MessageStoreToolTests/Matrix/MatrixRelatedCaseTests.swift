import MessageStore
import MessageStoreMatrix
import Testing

@testable import MessageStoreTool

@Suite("Matrix: relatives of what bug reports found")
struct MatrixRelatedCaseTests {
    private func unread(_ place: MatrixPlace) throws -> Int { try place.conversation()?.unread.messages ?? 0 }

    private func isListed(_ place: MatrixPlace) throws -> Bool {
        try place.store.read { try !$0.conversations(limit: 10).elements.isEmpty }
    }

    // MARK: Transaction ids

    @Test("I4: of two events with the transaction id of a queued message the first is its echo")
    func twoEchoes() throws {
        let place = try MatrixPlace()
        let unsigned = #","unsigned":{"transaction_id":"t1"}"#
        let queued = MessageSendQueued(content: .text("words"), clientToken: "t1")
        let id = try place.store.send(queued, to: place.room)
        try place.importing(
            response("b1", join: room("!s:here", timeline: [text("$0", by: "@me:here", extra: unsigned)])),
            response(
                "b2",
                join: room(timeline: [
                    text("$1", by: "@me:here", extra: unsigned), text("$2", by: "@me:here", at: 2000, extra: unsigned),
                ])),
            response("b3", join: room(timeline: [text("$3", by: "@me:here", at: 3000, extra: unsigned)])))
        #expect(try place.message("$1")?.id == id && place.message("$1")?.status == .sent)
        #expect(try place.message("$2") != nil && place.message("$3") != nil)
        let other = try place.store.read { try $0.message(.server("$0"), in: .group("!s:here")) }
        #expect(other != nil && other?.id != id)
    }

    // MARK: Receipts

    static let sources: [(name: String, event: String)] = [
        ("topic", event("m.room.topic", "$x", #"{"topic":"t"}"#, at: 2000, stateKey: "")),
        ("power", event("m.room.power_levels", "$x", #"{"users":{"@z:here":9}}"#, at: 2000, stateKey: "")),
        ("other state", event("m.space.child", "$x", "{}", at: 2000, stateKey: "!c:here")),
        ("redaction", event("m.room.redaction", "$x", #"{"redacts":"$0"}"#, at: 2000)),
        ("ban", member("$x", "@eve:here", "ban", by: "@ann:here").replacing(":1000,", with: ":2000,")),
        ("profile", member("$x", "@ann:here", "join", extra: joined).replacing(":1000,", with: ":2000,")),
        ("no message", event("m.room.message", "$x", "{}", at: 2000)),
        ("foreign edit", text("$x", by: "@eve:here", at: 2000, content: foreign)),
    ]
    private static let joined = #","unsigned":{"prev_content":{"membership":"join"}}"#
    private static let foreign =
        #","m.relates_to":{"rel_type":"m.replace","event_id":"$1"},"m.new_content":{"msgtype":"m.text","body":"f"}"#

    @Test("a receipt on what is no message reads what is before it, in a later response", arguments: sources)
    func receipts(name: String, event: String) throws {
        let place = try MatrixPlace()
        let mine = text("$m", by: "@me:here", at: 1500)
        try place.importing(
            response("b1", join: room(timeline: [text("$1"), mine])), response("b2", join: room(timeline: [event])),
            response("b3", join: room(timeline: [text("$9", at: 3000)])),
            response(
                "b4", join: room(ephemeral: [receipt("$x", "@me:here"), receipt("$x", "@bob:here")])))
        #expect(try unread(place) == 1, "the message after it")
        #expect(try place.message("$m")?.status == .read)
    }

    @Test("the place of a reaction, an edit and a topic is known to a later import", arguments: ["$r", "$e", "$t"])
    func laterImport(id: String) throws {
        let place = try MatrixPlace()
        let annotation = #"{"m.relates_to":{"rel_type":"m.annotation","event_id":"$1","key":"k"}}"#
        let edit =
            #","m.relates_to":{"rel_type":"m.replace","event_id":"$1"},"m.new_content":{"msgtype":"m.text","body":"e"}"#
        let events = [
            text("$1"), event("m.reaction", "$r", annotation, at: 2000), text("$e", at: 2000, content: edit),
            event("m.room.topic", "$t", #"{"topic":"t"}"#, at: 2000, stateKey: ""),
        ]
        try place.importing(response("b1", join: room(timeline: events)))
        let summary = try place.importing(response("b2", join: room(ephemeral: [receipt(id, "@me:here")])))
        #expect(try unread(place) == 0 && summary.skipped == [:])
        let found = try place.store.read { try $0.event(id: EventID("!r:here $r reaction")) }
        #expect(found?.event.payload is ReactionAdded)
        #expect(try place.store.read { try $0.event(id: "!r:here $9 reaction") } == nil)
    }

    @Test("a reaction of an earlier import is taken back")
    func laterRedaction() throws {
        let place = try MatrixPlace()
        let annotation = #"{"m.relates_to":{"rel_type":"m.annotation","event_id":"$1","key":"k"}}"#
        try place.importing(response("b1", join: room(timeline: [text("$1"), event("m.reaction", "$2", annotation)])))
        try place.importing(
            response("b2", join: room(timeline: [event("m.room.redaction", "$3", #"{"redacts":"$2"}"#)])))
        #expect(try place.store.read { try $0.reactions(to: .server("$1"), in: place.room) }.isEmpty)
    }

    // MARK: Counts

    @Test("d30: the server's number of what came last in its order, whatever the clocks say")
    func clocks() throws {
        let place = try MatrixPlace()
        try place.importing(response("b1", join: room(timeline: [text("$1", at: 9000)])))
        try place.importing(response("b2", join: room(timeline: [text("$2", at: 4000)], unread: (2, 1))))
        #expect(try place.conversation()?.unread.messages == 2 && place.conversation()?.unread.mentions == 1)
        try place.importing(
            response(
                "b3",
                join: room(
                    timeline: [text("$3", at: 3000)], ephemeral: [receipt("$3", "@me:here")], unread: (0, 0))))
        #expect(try unread(place) == 0, "the last message in the server's order is read")
        try place.importing(response("b4", join: room(timeline: [text("$4", at: 5000)], unread: (1, 0))))
        #expect(try unread(place) == 1)
        try place.importing(response("b5", join: room(timeline: [text("$5", at: 9500)], unread: (2, 0))))
        #expect(try unread(place) == 2)
    }

    @Test("counts of threads belong to the room; a receipt up to the end leaves those of threads that it does not read")
    func threads() throws {
        let counts = #"{"$a":{"notification_count":2,"highlight_count":1},"$b":{"notification_count":1}}"#
        func response(_ batch: String, _ id: String, at time: Int, _ receipt: [String]) -> String {
            let part = room(timeline: [text(id, at: time)], ephemeral: receipt, unread: (3, 1)).dropLast()
            return MessageStoreToolTests.response(
                batch, join: part + #","unread_thread_notifications":\#(counts)}"#)
        }
        let place = try MatrixPlace()
        try place.importing(response("b1", "$1", at: 1000, []))
        #expect(try unread(place) == 6 && place.conversation()?.unread.mentions == 2)
        let main = #"{"ts":5000,"thread_id":"main"}"#
        try place.importing(response("b2", "$2", at: 2000, [receipt("$2", "@me:here", receipt: main)]))
        #expect(try unread(place) == 3)
        try place.importing(response("b3", "$3", at: 3000, [receipt("$3", "@me:here")]))
        #expect(try unread(place) == 0)
    }

    // MARK: Invitations

    private let invited =
        #"{"type":"m.room.member","state_key":"@me:here","sender":"@ann:here","content":{"membership":"invite"}}"#

    private func left(_ id: String, _ membership: String = "leave", before: String?, by sender: String = "@me:here")
        -> String
    {
        let previous = before.map { #","unsigned":{"prev_content":{"membership":"\#($0)"}}"# } ?? ""
        return room(timeline: [member(id, "@me:here", membership, by: sender, extra: previous)])
    }

    @Test(
        "an invitation or a knock that ended is not listed, known or not",
        arguments: [("invite", true), ("invite", false), ("knock", false), (nil, true), (nil, false)]
            as [(String?, Bool)])
    func ended(before: String?, isKnown: Bool) throws {
        let place = try MatrixPlace()
        if isKnown { try place.importing(response("b1", invite: invitation("!r:here", invited))) }
        #expect(try isListed(place) == isKnown)
        try place.importing(response("b2", leave: left("$l", before: before)))
        #expect(try !isListed(place))
    }

    @Test("a new invitation after one that ended is listed, also by a later import; so is a join")
    func again() throws {
        let place = try MatrixPlace()
        let first = response("b1", invite: invitation("!r:here", invited))
        let end = response("b2", leave: left("$l", before: "invite"))
        let second = response("b3", invite: invitation("!r:here", invited))
        try place.importing(first, end, second)
        #expect(try isListed(place))
        try place.importing(response("b4", leave: left("$k", "ban", before: "invite", by: "@ann:here")))
        #expect(try !isListed(place))
        try place.importing(first, end, second)
        #expect(try !isListed(place), "what is known lists nothing")
        try place.importing(response("b5", join: room(timeline: [member("$j", "@me:here", "join")])))
        #expect(try isListed(place))
        try place.importing(response("b6", leave: left("$m", before: nil)))
        #expect(try isListed(place), "the account was in the room")
    }

    // MARK: Halves of characters

    @Test("half a character in an id leaves out its own event, receipt or room")
    func cutIDs() throws {
        let cut = #"\ud83d"#
        let place = try MatrixPlace()
        let annotation = #"{"m.relates_to":{"rel_type":"m.annotation","event_id":"$\#(cut)","key":"k"}}"#
        let bad = [
            text("$a" + cut), text("$b", by: "@ann\(cut):here"), event("m.reaction", "$c", annotation),
            member("$d", "@x\(cut):here", "join"), event("m.room.redaction", "$e", #"{"redacts":"\#(cut)"}"#),
        ]
        let receipts = """
            {"type":"m.receipt","content":{"$\(cut)":{"m.read":{"@bob:here":{"ts":1}}},\
            "$1":{"m.read":{"@me:here":{"ts":5000},"@\(cut):here":{"ts":1}}}}}
            """
        let name = event("m.room.name", "$n", #"{"name":"N\#(cut)"}"#, stateKey: "")
        let join =
            room(timeline: bad + [text("$1", "a" + cut, at: 2000), name], ephemeral: [receipts]) + ","
            + room("!\(cut):here", timeline: [text("$9")]) + "," + room("!s:here", timeline: [text("$8", "\u{FFFD}")])
        let summary = try place.importing(response(join: join))
        #expect(summary.skipped == ["field missing": bad.count + 1] && summary.badLines == 0)
        #expect(try unread(place) == 0, "the receipt of the account is kept")
        #expect(try place.conversation()?.name == "N\u{FFFD}" && place.message("$1")?.text == "a\u{FFFD}")
        #expect(try place.bodies(.messageReceived).count == 2)
        #expect(try place.bodies(.messageReadByPeer).isEmpty)
    }

    @Test("d32: an event with a time in seconds is left out, and what is about it")
    func seconds() throws {
        let place = try MatrixPlace()
        let summary = try place.importing(
            response(
                join: room(
                    timeline: [text("$1"), text("$2", at: 1_700_000_000)], limited: true,
                    ephemeral: [receipt("$2", "@me:here"), receipt("$1", "@ann:here", receipt: #"{"ts":1700000000}"#)]))
        )
        #expect(summary.messages == 1)
        #expect(summary.skipped == ["time in seconds": 2, "receipt of an unknown event": 1])
    }
}
