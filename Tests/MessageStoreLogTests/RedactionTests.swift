@_spi(Storage) @testable import MessageStoreLog
import Testing

@Suite("Redaction") struct RedactionTests {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    static let secret = "秘密的话"

    static let redactable: [Event] = [
        Event(
            MessageReceived(
                serverID: "s", sender: "张三", sentTime: SampleEvents.time,
                content: MessageContent(type: .text, text: secret, data: Array(secret.utf8)), clientToken: "t",
                context: MessageContext(mentions: ["me"], replyTo: "r", pushText: secret)), in: .group("g"),
            id: "e"),
        Event(MessageSendQueued(content: .text(secret)), in: .group("g")),
        Event(
            MessageModified(.server("s"), content: .text(secret), at: SampleEvents.time),
            in: .group("g")),
        Event(MessageRecalled(.server("s"), by: "a", reason: secret), in: .group("g")),
        Event(ConversationDraftChanged(secret), in: .group("g")),
        Event(MembersRemoved(["a"], kind: .kicked, reason: secret), in: .group("g")),
    ]

    @Test("I11: redaction removes the content and leaves envelope and fields", arguments: redactable)
    func removesContent(event: Event) throws {
        try fixture.append([event, AppendTests.pinned])
        let before = try #require(try fixture.bytes(at: 1))
        try fixture.log.redact(Position(1))
        let after = try #require(try fixture.bytes(at: 1))
        let text = Array(Self.secret.utf8)
        #expect(before.indices.contains { before[$0...].starts(with: text) })
        #expect(!after.indices.contains { after[$0...].starts(with: text) })
        // All but checksum (0–7), flags (20–21) and content length (60–63) stays.
        #expect(after[8..<20] == before[8..<20])
        #expect(after[22..<60] == before[22..<60])
        #expect(after[64...] == before[64..<after.count])
        #expect(try fixture.scan { $0.flags.contains(.isRedacted) } == [true, false])
        #expect(try fixture.event(at: 1)?.type == event.type)
    }

    @Test("I11: redacting again changes nothing") func idempotent() throws {
        try fixture.append([Self.redactable[0]])
        try fixture.log.redact(Position(1))
        let once = try fixture.bytes(at: 1)
        try fixture.log.redact(Position(1))
        #expect(try fixture.bytes(at: 1) == once)
    }

    @Test("I11: events without words of a person are refused and stay")
    func refusesOthers() throws {
        let others =
            SampleEvents.all.filter { EventCatalog[$0.type]?.hasContent != true && $0.id == nil }
            + [Event(any: UnknownEvent(type: EventType(rawValue: 0x9000), content: [1]))]
        let fixture = try LogFixture()
        try fixture.append([SampleEvents.first] + others)
        for position in 2...UInt64(others.count + 1) {
            let before = try fixture.bytes(at: position)
            let error = storeError { try fixture.log.redact(Position(position)) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.position == Position(position))
            #expect(try fixture.bytes(at: position) == before)
        }
    }

    @Test("I11: what was never recorded cannot be redacted", arguments: [0, 2, .max] as [UInt64])
    func missing(position: UInt64) throws {
        try fixture.append([Self.redactable[0]])
        #expect(storeError { try fixture.log.redact(Position(position)) }?.code == .notFound)
    }
}
