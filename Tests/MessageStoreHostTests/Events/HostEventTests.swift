import Foundation
import MessageStore
import Testing

@Suite("Hosts' events", .timeLimit(.minutes(30)))
struct HostEventTests {
    private let place: HostPlace

    init() throws { place = try HostPlace() }

    static let message = Event(
        MessageReceived(
            serverID: "s1", sender: "bob", sentTime: Timestamp(milliseconds: 5), content: .text("hi")),
        in: .group("g"), origin: .live)
    static let starred: Event = {
        var starred = MessageStarred(.server("s1"), folder: .later, note: "read this")
        starred.by = "bob"
        return Event(any: starred, in: .group("g"), id: "e1", origin: .otherDevice, device: "d1")
    }()

    @Test("a host's event is read as its payload, also after the store is opened again")
    func typed() throws {
        try place.withStore { store throws in
            #expect(try store.record([Self.message, Self.starred]).positions == [Position(1), Position(2)])
        }
        try place.withStore { store throws in
            let events = try store.events(where: EventFilter(types: [EventType(MessageStarred.self)]))
            #expect(events.map(\.event) == [Self.starred])
            #expect(try store.verify().isConsistent)
            // The host's id makes it known, as that of any event.
            #expect(try store.record(Self.starred).position == Position(2))
        }
    }

    @Test("a tail and a durable subscriber are given hosts' events as they are recorded")
    func heard() async throws {
        let store = try place.open()
        try await store.record([Self.message, Self.starred])
        var tail = store.tail(
            after: .origin, where: EventFilter(types: [EventType(MessageStarred.self)])
        ).makeAsyncIterator()
        #expect(try await tail.next()?.event == Self.starred)
        let (heard, continuation) = AsyncStream.makeStream(of: Event.self)
        let subscription = try store.subscribe(Stars(heard: continuation), from: .beginning)
        var events = heard.makeAsyncIterator()
        #expect(await events.next() == Self.starred)
        subscription.cancel()
        try await store.close()
    }

    private struct Stars: EventSubscriber {
        let name = "stars"
        let filter = EventFilter(types: [EventType(MessageStarred.self)])
        let heard: AsyncStream<Event>.Continuation

        func handle(_ event: RecordedEvent) async throws -> SubscriberAnswer {
            heard.yield(event.event)
            return .handled
        }
    }

    @Test("a payload that is not registered is refused by its name")
    func notRegistered() throws {
        try place.withStore([]) { store throws in
            let error = storeError { try store.record(Self.starred) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("com.example.message-starred is of a type that is not registered") == true)
            #expect(try store.lastPosition() == .origin)
        }
    }

    @Test(
        "fields, scope, the payload's own rules and sizes are checked as for built-in types; words are never told",
        arguments: [
            (Event(any: MessageStarred(.server("s"))), "needs a conversation"),
            (Event(MessageStarred(.server("")), in: .group("g")), ".message names a server id that is empty"),
            (Event(MessageStarred(.server("s"), isStarred: false, note: "secret"), in: .group("g")), "without a star"),
            (Event(MessageStarred(.server("s")), in: .group("g"), serverTime: Timestamp(milliseconds: -1)), "time"),
        ])
    func refused(event: Event, problem: String) throws {
        try place.withStore { store throws in
            let error = try #require(storeError { try store.record(event) })
            #expect(error.code == .invalidArgument && error.message.hasPrefix("com.example.message-starred"))
            #expect(error.message.contains(problem) && !error.message.contains("secret"), "\(error)")
            #expect(try store.lastPosition() == .origin)
        }
    }

    @Test("an event that is larger than the limit is refused by its name")
    func tooLarge() throws {
        try place.withStore { store throws in
            let note = String(repeating: "s", count: EventLimits.eventBytes)
            let error = storeError {
                try store.record(Event(MessageStarred(.server("s"), note: note), in: .group("g")))
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.hasPrefix("com.example.message-starred carries") == true)
        }
    }

    @Test("I9: to a host that does not know it the event is kept byte for byte, and counted as unknown")
    func olderHost() throws {
        try place.withStore { try $0.record([Self.message, Self.starred]) }
        let unknown = try place.withStore([]) { store throws in
            #expect(
                try store.read { try ViewDiagnostics.unknownEventCounts(in: $0) } == [EventType(MessageStarred.self): 1]
            )
            #expect(try store.verify().isConsistent)
            return try #require(try store.events(from: Position(2)).first?.event)
        }
        let payload = try #require(unknown.payload as? UnknownEvent)
        #expect(payload.type == EventType(MessageStarred.self) && payload.actor == "bob")
        try place.withStore { store throws in
            #expect(try store.read { try ViewDiagnostics.unknownEventCounts(in: $0) }.isEmpty)
            #expect(try store.events(from: Position(2)).map(\.event) == [Self.starred])
            #expect(try store.verify().isConsistent)
        }
    }

    @Test("an unknown event of a registered type is recorded as it is, and refused where the type could not read it")
    func unknownOfRegisteredType() throws {
        let type = EventType(MessageStarred.self)
        try place.withStore { store throws in
            // 4: a server id, 5: true
            let fields: [UInt8] = [0x22, 2] + Array("s1".utf8) + [0x28, 1]
            try store.record(Event(any: UnknownEvent(type: type, fields: fields), in: .group("g")))
            #expect(
                try store.events().first?.event.payload as? MessageStarred == MessageStarred(.server("s1")))
            for broken in [[], [0x28, 1], fields + [0x30, 0xFF, 0xFF, 1]] as [[UInt8]] {
                let event = Event(any: UnknownEvent(type: type, fields: broken), in: .group("g"))
                #expect(storeError { try store.record(event) }?.code == .invalidArgument, "\(broken)")
            }
            let elsewhere = Event(any: UnknownEvent(type: type, fields: fields))
            #expect(storeError { try store.record(elsewhere) }?.code == .invalidArgument)
            #expect(try store.lastPosition().rawValue == 1)
        }
    }

    @Test("redaction removes the content of a host's event and leaves its fields")
    func redacted() throws {
        let backup = try place.withStore { store throws in
            try store.record([Self.message, Self.starred])
            try store.redact(Position(2))
            let event = try #require(try store.events(from: Position(2)).first)
            var expected = try #require(Self.starred.payload as? MessageStarred)
            expected.note = nil
            #expect(event.isRedacted && event.event.payload as? MessageStarred == expected)
            #expect(try store.verify().isConsistent)
            return try store.backup()
        }
        // A redacted event can be restored, with its host's code and without.
        for events in [[MessageStarred.self], []] as [[any EventPayload.Type]] {
            let copy = try HostPlace()
            let lines = try place.withStore(events) { try $0.backup() }
            try copy.withStore(events) { try $0.restore(lines) }
            #expect(try copy.withStore { try $0.backup() } == backup)
        }
        try place.withStore([]) { store throws in
            #expect(storeError { try store.redact(Position(2)) }?.code == .invalidArgument)
        }
    }

    @Test("a code that only a newer version of the host names is kept, and is no other")
    func unknownCode() throws {
        let newer = Event(MessageStarred(.server("s1"), folder: Folder(rawValue: 9)), in: .group("g"))
        try place.withStore { store throws in
            try store.record(newer)
            let event = try #require(try store.events().first?.event)
            #expect(event == newer)
            #expect((event.payload as? MessageStarred)?.folder.isKnown == false)
            #expect(try store.backup().first?.contains(#""folder":9"#) == true)
        }
    }

    @Test("what a store was opened with is described in it: name, version, scope, fields with numbers and types")
    func described() throws {
        try place.withStore([]) { store throws in #expect(try store.eventDescriptions().isEmpty) }
        try place.withStore { _ in }
        try place.withStore([]) { store throws in
            try store.record(Self.message)
            let description = try #require(try store.eventDescriptions().first)
            #expect(description.name == "com.example.message-starred" && description.version == 1)
            #expect(description.type == EventType(MessageStarred.self) && description.scope == .conversation)
            let fields = description.fields.map { "\($0.part) \($0.number ?? 0) \($0.name): \($0.type)" }
            #expect(
                fields == [
                    "envelope 0 by: user?", "fields 3 message: message", "fields 5 isStarred: bool",
                    "fields 6 folder: number", "content 1 note: string?",
                ])
        }
    }
}
