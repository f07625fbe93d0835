import Foundation
@_spi(Storage) import MessageStoreLog
import Testing

@Suite struct `Unknown events` {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    static let type = EventType(rawValue: 0x9001)
    /// Fields 3 = 7, 99 = "新" and 1 = "e1", in an order of their writer's own.
    static let fields: [UInt8] = [0x18, 7, 0x9A, 0x06, 3] + Array("新".utf8) + [0x0A, 2, 0x65, 0x31]
    static let content: [UInt8] = [0xFF, 0, 0x80, 1]

    static let events = [
        Event(
            any: UnknownEvent(type: type, schemaVersion: 9, fields: fields, content: content), in: .group("g"),
            id: "e1", origin: Origin(rawValue: 77), serverTime: SampleEvents.time),
        Event(any: UnknownEvent(type: type, fields: Array(fields.prefix(2)), content: content)),
        Event(any: UnknownEvent(type: EventType(rawValue: 0x1F)), in: .group("g")),
        Event(any: UnknownEvent(type: EventType(rawValue: .max), schemaVersion: 0, content: [])),
    ]

    @Test("I9: an unknown event is kept byte for byte, through decoding and recording again", arguments: events)
    func keptByteForByte(event: Event) throws {
        let (first, decoded) = try withLog { fixture throws in
            try fixture.append([event])
            return (try fixture.bytes(at: 1), try fixture.event(at: 1))
        }
        #expect(decoded == event)
        let second = try withLog { fixture throws in
            try fixture.append([decoded].compactMap { $0 })
            return try fixture.bytes(at: 1)
        }
        #expect(first == second)
    }

    @Test("I9: an event id that the fields do not hold is kept beside them", arguments: [[], Array(fields.prefix(2))])
    func idBesideFields(fields: [UInt8]) throws {
        let event = Event(any: UnknownEvent(type: Self.type, fields: fields), id: "e7", device: "d7")
        try fixture.append([event])
        let decoded = try #require(try fixture.event(at: 1))
        #expect(decoded.id == "e7")
        #expect(decoded.device == "d7")
    }

    @Test(
        "I9: fields that cannot be read are refused before they are recorded", arguments: [[0xFF], [0x0A, 9], [0x0F]])
    func brokenFields(fields: [UInt8]) throws {
        let event = Event(any: UnknownEvent(type: Self.type, fields: fields))
        #expect(storeError { try fixture.append([event]) }?.code == .invalidArgument)
    }

    @Test(
        "I9: unknown fields of a known event are kept byte for byte, through decoding and recording again",
        .withoutKey("writes the bytes of a record"))
    func unknownFieldsOfKnownEvent() throws {
        try fixture.append([AppendTests.pinned])
        try fixture.overwrite(1) { bytes in
            guard var record = bytes else { return }
            record += [0x9A, 0x06, 1, 0x41]
            record[56] += 4
            let checksum = XXH64.hash(record.span.bytes.extracting(8..<record.count), seed: 0x4D53_4C4F_4731_0000)
            withUnsafeBytes(of: checksum.littleEndian) { record.replaceSubrange(0..<8, with: $0) }
            bytes = record
        }
        var expected = AppendTests.pinned
        expected.unknownFields.fields = [0x9A, 0x06, 1, 0x41]
        let decoded = try #require(try fixture.event(at: 1))
        #expect(decoded == expected)
        try fixture.append([decoded])
        // All but checksum and position.
        #expect(try fixture.bytes(at: 1)?.dropFirst(16) == fixture.bytes(at: 2)?.dropFirst(16))
    }

    @Test(
        "I9, I10: unknown fields that are known, or that cannot be read, are refused",
        arguments: [
            UnknownFields(fields: [0x18, 1]), UnknownFields(fields: [0x0A, 1, 0x65]), UnknownFields(fields: [0xFF]),
            UnknownFields(content: [0xFF]),
        ])
    func brokenUnknownFields(unknown: UnknownFields) throws {
        var event = AppendTests.pinned
        event.unknownFields = unknown
        #expect(storeError { try fixture.append([event]) }?.code == .invalidArgument)
        var other = Self.events[1]
        other.unknownFields = UnknownFields(fields: [0x9A, 0x06, 1, 0x41])
        #expect(storeError { try fixture.append([other]) }?.code == .invalidArgument)
    }

    @Test("I9: a known type in a newer schema version is kept, through decoding, recording again and JSON")
    func newerVersion() throws {
        let event = Event(
            any: UnknownEvent(type: .conversationPinned, schemaVersion: 2, fields: [0x18, 7]), in: .group("g"))
        let decoded = try withLog { fixture throws in
            try fixture.append([event])
            return try fixture.event(at: 1)
        }
        #expect(decoded == event)
        #expect(try JSONDecoder().decode(Event.self, from: JSONEncoder().encode(event)) == event)
        let known = UnknownEvent(type: .conversationPinned, schemaVersion: 1)
        #expect(storeError { try Event(any: known, in: .group("g")).validate() }?.code == .invalidArgument)
    }

    @Test(
        "d33, I9: a choice in a newer schema version keeps the clock's time, which is written anew where it is recorded anew"
    )
    func clockOfNewerVersion() throws {
        let pinned = UnknownEvent(type: .conversationPinned, schemaVersion: 2, fields: [0x18, 7])
        let (first, decoded) = try withLog { fixture throws in
            try fixture.append([Event(ConversationPinned(true), in: .group("h"))], now: 5000)
            try fixture.append([Event(any: pinned, in: .group("g"))], now: 3000)
            return (try fixture.bytes(at: 2), try #require(try fixture.event(at: 2)))
        }
        #expect(decoded.clockTime == Timestamp(milliseconds: 3000))
        #expect(try JSONDecoder().decode(Event.self, from: JSONEncoder().encode(decoded)) == decoded)
        let fixture = try LogFixture()
        var times: [Int64?] = []
        for now in [5000, 3000, 4000, 6000] as [Int64] {
            try fixture.append([decoded], now: now)
            times.append(try fixture.event(at: UInt64(times.count + 1))?.clockTime?.milliseconds)
        }
        #expect(times == [nil, 3000, 4000, nil])
        // All but checksum and position.
        let again = try #require(try fixture.event(at: 2))
        #expect(again.payload as? UnknownEvent == decoded.payload as? UnknownEvent)
        #expect(try fixture.bytes(at: 2)?[56...] == first?[56...])
    }

    @Test("a known verdict cannot be recorded as an unknown one", arguments: [0, 1, 2] as [UInt8])
    func knownVerdict(code: UInt8) {
        let event = Event(MessageFiltered(.server("s"), verdict: .unknown(code, nil)), in: .group("g"))
        #expect(storeError { try event.validate() }?.code == .invalidArgument)
    }
}
