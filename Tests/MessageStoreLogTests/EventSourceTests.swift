import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("Events that are decoded when they are asked for")
struct EventSourceTests {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    private static let plain = [
        Event.received("m1", from: "bob", in: .group("g"), at: Timestamp(milliseconds: 1), content: .text("one")),
        Event(
            MessageReceived(
                serverID: "m2", sender: "me", sentTime: .unknown,
                content: MessageContent(type: "x", data: [0, 1], attributes: [2]), clientToken: "t",
                policy: .silent, context: MessageContext(pushText: "push"), needsReceipt: true,
                senderProfile: SenderProfile(name: "Bob")),
            in: .single("bob"), id: "e", origin: .history, device: "d"),
    ]
    private static let others = [
        MessageContext(mentions: ["bob"]), MessageContext(replyTo: "m1"), MessageContext(timer: .off),
    ].map { context in
        Event(
            MessageReceived(
                serverID: "m3", sender: "bob", sentTime: .unknown, content: .text("two"), context: context),
            in: .group("g"))
    }

    @Test("plain messages are; every event is the same as when it is decoded at once, also when the log is gone")
    func sources() throws {
        let events = SampleEvents.all + Self.plain + Self.others
        let (atOnce, sources) = try withLog { fixture in
            try fixture.append(events)
            let decoder = RecordDecoder(symbols: fixture.log.symbols, keepsSymbols: true)
            var sources: [EventSource] = []
            try fixture.log.snapshot().scan(from: Position(1), to: Position(.max)) { record in
                sources.append(try decoder.source(of: record))
                return .proceed
            }
            return (try (1...events.count).map { try fixture.event(at: UInt64($0)) }, sources)
        }
        #expect(sources.count == events.count)
        for (source, event) in zip(sources, atOnce) {
            #expect(source.type == event?.type && source.typeName == event?.payload.typeName)
            #expect(source.conversation == event?.conversation && source.origin == event?.origin)
            #expect(source.event == event)
        }
        #expect(sources.suffix(5).map(\.isDecoded) == [false, false, true, true, true])
    }

    @Test("fields that only a newer version knows come with it, and content that is omitted does not")
    func unknownFields() throws {
        var event = Self.plain[0]
        event.unknownFields = UnknownFields(fields: [], content: [0xF8, 0x03, 5])
        try fixture.append([event])
        let bytes = try #require(try fixture.bytes(at: 1))
        guard let view = RecordView(bytes.span.bytes) else { throw StoreError(.notFound, "it is no record") }
        let source = try RecordDecoder(symbols: fixture.log.symbols).source(of: view)
        #expect(!source.isDecoded && source.event.unknownFields == event.unknownFields)
        let omitting = try RecordDecoder(symbols: fixture.log.symbols, omitsContent: true).source(of: view)
        #expect(omitting.event.unknownFields.isEmpty)
        #expect((omitting.event.payload as? MessageReceived)?.content.text == nil)
    }

    @Test("strings that are kept by number are those of the table, whatever numbers share a place")
    func keptSymbols() throws {
        let users = (0..<300).map { UserID("user\($0)") }
        try fixture.append(users.map { Event(ProfileInvalidated([$0])) })
        let table = fixture.log.symbols
        let symbols = KeptSymbols()
        let kept = SymbolReader(table, symbols)
        defer { withExtendedLifetime(symbols) {} }
        var random = SplitMix64(seed: 1)
        for _ in 0..<3_000 {
            let number = UInt32(2 + random.nextIndex(300))
            #expect(try kept.user(number) == table.user(number))
        }
        #expect(throws: StoreError.self) { try kept.user(1_000) }
    }
}

extension EventSource {
    fileprivate var isDecoded: Bool { if case .decoded = self { true } else { false } }
}
