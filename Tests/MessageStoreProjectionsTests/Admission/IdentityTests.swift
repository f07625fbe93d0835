import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("Identity of messages") struct IdentityTests {
    private let fixture: AdmissionFixture

    init() throws { fixture = try AdmissionFixture() }

    /// Events and the positions that they are to get, whether recorded together or one by one.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let events: [Event]
        let positions: [UInt64]
    }

    static let cases = [
        Case(
            testDescription: "same server id",
            events: [AdmissionFixture.received("1"), AdmissionFixture.received("1"), AdmissionFixture.received("2")],
            positions: [1, 1, 2]),
        Case(
            testDescription: "a server id is scoped to its conversation",
            events: [
                AdmissionFixture.received("1"), AdmissionFixture.received("1", in: "h"),
                AdmissionFixture.received("1", in: "h"),
            ], positions: [1, 2, 2]),
        Case(
            testDescription: "a token is scoped to its sender",
            events: [
                AdmissionFixture.received("1", token: "t"), AdmissionFixture.received("2", from: "b", token: "t"),
                AdmissionFixture.received("3", from: "b", token: "t"),
            ], positions: [1, 2, 2]),
        Case(
            testDescription: "a token holds over conversations",
            events: [AdmissionFixture.received("1", token: "t"), AdmissionFixture.received("2", in: "h", token: "t")],
            positions: [1, 1]),
        Case(
            testDescription: "an event id holds over types",
            events: [
                AdmissionFixture.received("1", event: "e"), AdmissionFixture.received("2", event: "e"),
                Event(OfflineSyncCompleted(), id: "e"),
            ], positions: [1, 1, 1]),
        Case(
            testDescription: "a token is not an event id or server id",
            events: [
                AdmissionFixture.received("x", token: "y", event: "z"),
                AdmissionFixture.received("y", token: "z", event: "x"),
            ], positions: [1, 2]),
        Case(
            testDescription: "a queued message by its token",
            events: [AdmissionFixture.queued("t"), AdmissionFixture.queued("t"), AdmissionFixture.queued("u")],
            positions: [1, 1, 2]),
        Case(
            testDescription: "without any identity nothing is the same",
            events: [AdmissionFixture.queued(nil), AdmissionFixture.queued(nil)],
            positions: [1, 2]),
        Case(
            testDescription: "canonically equivalent ids of other bytes are others",
            events: [
                AdmissionFixture.received("\u{e9}"), AdmissionFixture.received("e\u{301}"),
                AdmissionFixture.received("e\u{301}"),
            ], positions: [1, 2, 2]),
    ]

    @Test("I4: the same message gets the original position", arguments: cases) func together(_ example: Case) throws {
        #expect(try fixture.append(example.events).map(\.rawValue) == example.positions)
        #expect(try fixture.countOfOriginals == Set(example.positions).count)
    }

    @Test("I4: the same message gets the original position commit by commit", arguments: cases)
    func oneByOne(_ example: Case) throws {
        var positions: [UInt64] = []
        for event in example.events { positions += try fixture.append([event]).map(\.rawValue) }
        #expect(positions == example.positions)
        for event in example.events where event != AdmissionFixture.queued(nil) { try fixture.append([event]) }
        #expect(try fixture.countOfOriginals == Set(example.positions).count)
    }

    @Test("d12: another server id for a known token is noted once, in the same conversation only")
    func alias() throws {
        try fixture.append([AdmissionFixture.received("1", token: "t")])
        for _ in 0..<2 {
            let again = [
                AdmissionFixture.received("2", token: "t"), AdmissionFixture.received("3", in: "h", token: "t"),
            ]
            #expect(try fixture.append(again).map(\.rawValue) == [1, 1])
        }
        #expect(try fixture.types == [.messageReceived, .messageDuplicateSuppressed])
        let expected = MessageDuplicateSuppressed(serverID: "2", duplicateOf: LocalMessageID(1), rule: .clientToken)
        #expect(try fixture.event(at: 2)?.payload as? MessageDuplicateSuppressed == expected)
        #expect(try fixture.append([AdmissionFixture.received("2")]).map(\.rawValue) == [1], "the id names the first")
    }

    @Test("d12: a verdict that names no message as the original is refused, and nothing is recorded")
    func unknownOriginal() throws {
        let verdict = MessageDuplicateSuppressed(serverID: "2", duplicateOf: LocalMessageID(7), rule: .clientToken)
        let error = storeError {
            try fixture.append([AdmissionFixture.received("1"), Event(verdict, in: .group("g"))])
        }
        #expect(error?.code == .notFound)
        #expect(fixture.log.lastPosition == .origin)
    }

    @Test func `known events are counted`() throws {
        let admitted = try fixture.admit([
            AdmissionFixture.received("1"), AdmissionFixture.received("1"), AdmissionFixture.received("2"),
        ])
        #expect(admitted.known.count == 1)
        #expect(admitted.prepared.batch.count == 2)
    }

    @Test("I11, I4: a redacted message is still recognised") func redacted() throws {
        let event = AdmissionFixture.received("s", token: "t", event: "e")
        try fixture.append([event])
        try fixture.log.redact(Position(1))
        #expect(try fixture.append([event]).map(\.rawValue) == [1])
    }

    @Test("I4, I9: an unknown event is recognised by its event id, also once it was decoded")
    func unknownEvent() throws {
        let fields: [UInt8] = [0x18, 7]
        let event = Event(any: UnknownEvent(type: EventType(rawValue: 0x9001), fields: fields), id: "e7", device: "d7")
        try fixture.append([event])
        let decoded = try #require(try fixture.event(at: 1))
        #expect(try fixture.append([event, decoded]).map(\.rawValue) == [1, 1])
    }

    @Test("I6: an error of the look-up records nothing") func failingLookUp() throws {
        let pinned = Event(ConversationPinned(), in: .group("g"))
        let event = Event(ConversationPinned(), in: .group("g"), id: "e")
        try fixture.append([event])
        try fixture.damage(1)
        #expect(throws: StoreError.self) { try fixture.append([pinned, event]) }
        #expect(fixture.log.lastPosition == Position(1))
    }

    @Test func `a known event leaves no symbol behind`() throws {
        try fixture.append([AdmissionFixture.received("1")])
        try fixture.append([AdmissionFixture.received("1", from: "b"), AdmissionFixture.received("2", from: "c")])
        #expect(try fixture.log.symbols.existingNumber(of: "b" as UserID) == nil)
        #expect(try fixture.log.symbols.existingNumber(of: "c" as UserID) == 3)
    }
}

@Suite struct `Echoes of queued messages` {
    private let fixture: AdmissionFixture

    init() throws { fixture = try AdmissionFixture() }

    static let echo = AdmissionFixture.received("s", from: "me", token: "t")

    @Test("I4: the echo of an unacknowledged message is its acknowledgement", arguments: [true, false])
    func echoAcknowledges(isOneBatch: Bool) throws {
        let events = [AdmissionFixture.queued("t"), Self.echo]
        let positions = try isOneBatch ? fixture.append(events) : events.flatMap { try fixture.append([$0]) }
        #expect(positions.map(\.rawValue) == [1, 1])
        #expect(try fixture.types == [.messageSendQueued, .messageSent])
        let expected = MessageSent(message: LocalMessageID(1), serverID: "s", sentTime: Timestamp(milliseconds: 5))
        #expect(try fixture.event(at: 2)?.payload as? MessageSent == expected)
        #expect(try fixture.event(at: 2)?.conversation == .group("g"))
    }

    @Test("I4: an echo that comes twice acknowledges once", arguments: [0, 1, 2]) func twice(split: Int) throws {
        let events = [AdmissionFixture.queued("t"), Self.echo, Self.echo]
        try fixture.append(Array(events[...split]))
        try fixture.append(Array(events[(split + 1)...]))
        #expect(try fixture.types == [.messageSendQueued, .messageSent])
    }

    @Test("I4: an echo right behind the acknowledgement changes nothing") func behindAcknowledgement() throws {
        let sent = MessageSent(message: LocalMessageID(1), serverID: "s", sentTime: Timestamp(milliseconds: 5))
        try fixture.append([AdmissionFixture.queued("t")])
        let positions = try fixture.append([Event(sent, in: .group("g")), Self.echo])
        #expect(positions.map(\.rawValue) == [2, 1])
        #expect(try fixture.types == [.messageSendQueued, .messageSent])
    }
}
