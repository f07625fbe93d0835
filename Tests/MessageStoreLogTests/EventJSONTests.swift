import Foundation
@_spi(Storage) import MessageStoreLog
import Testing

@Suite struct `Events as JSON` {
    private static func json(_ event: Event, omitsContent: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsEventContent] = omitsContent
        return String(decoding: try encoder.encode(event), as: UTF8.self)
    }

    private static func event(_ json: String) throws -> Event {
        try JSONDecoder().decode(Event.self, from: Data(json.utf8))
    }

    @Test("every event comes back as it was", arguments: SampleEvents.all + `Unknown events`.events)
    func roundTrip(event: Event) throws {
        let json = try Self.json(event)
        let decoded = try Self.event(json)
        #expect(decoded == event)
        #expect(try Self.json(decoded) == json)
    }

    @Test("a flag of a summary is a Boolean; the number of earlier versions is read")
    func flags() throws {
        let event = Event(ConversationSummaryReceived(isPinned: false, isMuted: true), in: .group("g"))
        let json = try Self.json(event)
        #expect(json.contains("\"isMuted\":true,\"isPinned\":false"))
        #expect(try Self.event(json.replacing("true", with: "1").replacing("false", with: "0")) == event)
    }

    @Test("the keys are those that the documentation names")
    func keys() throws {
        let event = Event(
            MessageReceived(
                serverID: "s1", sender: "张三", sentTime: Timestamp(milliseconds: 5),
                content: MessageContent(type: .text, text: "你好", data: [0, 255]), policy: .uncounted,
                context: MessageContext(mentions: ["me"])),
            in: .group("g"), id: "e1", origin: .offline)
        #expect(
            try Self.json(event) == """
                {"conversation":{"id":"g","kind":"group"},"id":"e1","origin":"offline",\
                "payload":{"contentType":"text","countsUnread":false,"data":"AP8=","mentions":["me"],\
                "mentionsEveryone":false,"needsReceipt":false,"sender":"张三","sentTime":5,"serverID":"s1",\
                "text":"你好","updatesLastMessage":true},"type":"MessageReceived"}
                """)
        let deleted = Event(MessagesDeleted([.local(LocalMessageID(3)), .server("s")]), in: .single("b"))
        #expect(
            try Self.json(deleted) == """
                {"conversation":{"id":"b","kind":"single"},"origin":"local",\
                "payload":{"erases":false,"isRemote":false,"messages":[{"local":3},{"server":"s"}]},"type":"MessagesDeleted"}
                """)
    }

    @Test("I11: content can be left out, as redaction would", arguments: RedactionTests.redactable)
    func withoutContent(event: Event) throws {
        let json = try Self.json(event, omitsContent: true)
        #expect(!json.contains(RedactionTests.secret))
        #expect(try Self.json(event).contains(RedactionTests.secret))
        #expect(try Self.event(json).type == event.type)
    }

    @Test(
        "what is missing or does not fit is an error, not a default",
        arguments: [
            #"{"type":"MessageSent","payload":{"message":1,"sentTime":5}}"#,
            #"{"type":"MessageSent","payload":{"message":-1,"serverID":"s","sentTime":5}}"#,
            #"{"type":"NoSuchEvent","payload":{}}"#, #"{"type":"MessageSent"}"#, #"{"payload":{}}"#,
            #"{"type":"MessageSent","version":9,"payload":{"message":1,"serverID":"s","sentTime":5}}"#,
            #"{"type":"MembersAdded","payload":{"members":["a"],"kind":"teleported"}}"#,
            #"{"type":"SyncCursorAdvanced","payload":{"name":"c","value":"not base64!"}}"#,
        ])
    func broken(json: String) {
        #expect(throws: DecodingError.self) { try Self.event(json) }
    }

    @Test("I9: values of a newer version keep their number", arguments: [5, 200, 255] as [UInt8])
    func unknownValues(code: UInt8) throws {
        let events = [
            Event(MembersAdded(["a"], kind: JoinKind(rawValue: code)), in: .group("g")),
            Event(ChatRoomLeft(ChatRoomLeaveReason(rawValue: code), at: .unknown), in: SampleEvents.room),
            Event(MessageFiltered(.server("s"), verdict: .unknown(code, nil)), in: .group("g")),
            Event(MessageFiltered(.server("s"), verdict: .unknown(code, .text("x"))), in: .group("g")),
            Event(SessionStateChanged(SessionState(rawValue: code &+ 1))),
            Event(OfflineSyncCompleted(), origin: Origin(rawValue: code)),
        ]
        for event in events {
            #expect(try Self.event(Self.json(event)) == event)
            let decoded = try withLog { fixture throws in
                try fixture.append([event])
                return try fixture.event(at: 1)
            }
            #expect(decoded == event.asRecorded)
        }
    }
}
