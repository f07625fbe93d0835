import Foundation
import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

/// A host's type with fields of the highest numbers, which a record's own two have as well.
private struct Numbered: ConversationPayload {
    var first: UInt32
    var second: String

    static let declaration = EventDeclaration("com.example.numbered", scope: .conversation)
    enum Fields {
        static let first = Field<UInt32>(62, "first")
        static let second = Field<String>(63, "second")
    }

    init(from fields: inout some FieldDecoder) throws {
        (first, second) = (try fields.decode(Fields.first), try fields.decode(Fields.second))
    }
    init(_ first: UInt32, _ second: String) { (self.first, self.second) = (first, second) }
    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(first, for: Fields.first)
        try fields.encode(second, for: Fields.second)
    }
}

@Suite("I21: records of a slow clock")
struct SlowClockRecordTests {
    private static let day: Int64 = 86_400_000

    private func withTypes(_ body: (LogFixture) throws -> Void) throws {
        try withTemporaryDirectory { path in
            let types = try EventTypes([Numbered.self])
            let log = try EventLog(
                path: path, configuration: .ofTests(access: .create, mapSize: 1 << 24), types: types)
            try log.symbols.enter(account: LogFixture.account)
            try body(LogFixture(log: log))
        }
    }

    private static func message(_ id: ServerMessageID, at time: Int64) -> Event {
        .received(id, from: "bob", in: .group("g"), at: Timestamp(milliseconds: time), content: .text("t"))
    }

    /// What each record says of the clock: what it showed, the later of that and the servers' time, and the present.
    private func clocks(_ fixture: LogFixture) throws -> [[Int64]] {
        try fixture.scan { record in
            [record.clockTime, record.correctedTime, record.now].map(\.milliseconds)
        }
    }

    @Test("only records of a slow clock are longer, whatever the type, and a host's fields of the same numbers stay")
    func bytes() throws {
        try withTypes { fixture in
            let events = [
                Event(Numbered(7, "a"), in: .group("g"), id: "e"), Event(SelfInvited(by: "eve"), in: .group("g")),
                Event(ConversationPinned(), in: .group("g"), device: "d"), Self.message("m", at: 10),
                Event(Numbered(8, "b"), in: .group("g")),
            ]
            try fixture.append(events, now: 5_000)
            let sizes = try fixture.scan { $0.bytes.byteCount }
            try fixture.append(events, now: 4_000)
            try fixture.append(events, now: 5_000)
            #expect(try fixture.scan { $0.bytes.byteCount } == sizes + sizes.map { $0 + 20 } + sizes)
            for position in 6...10 as ClosedRange<UInt64> {
                var event = try #require(try fixture.event(at: position))
                #expect(event.clockTime?.milliseconds == 4_000 && event.correctedTime?.milliseconds == 4_000)
                let decoder = JSONDecoder()
                decoder.userInfo[.eventTypes] = fixture.log.symbols.types
                #expect(try decoder.decode(Event.self, from: JSONEncoder().encode(event)) == event)
                (event.clockTime, event.correctedTime) = (nil, nil)
                #expect(try fixture.event(at: position - 5) == event)
            }
        }
    }

    @Test("the newest time of a server counts, but for one of the future; it is found again after an opening")
    func servers() throws {
        try withTemporaryDirectory { path in
            for isFirst in [true, false] {
                let log = try EventLog(
                    path: path, configuration: .ofTests(access: isFirst ? .create : .readWrite, mapSize: 1 << 24))
                if isFirst { try log.symbols.enter(account: LogFixture.account) }
                let fixture = LogFixture(log: log)
                if isFirst {
                    try fixture.append([Self.message("a", at: 9 * Self.day)], now: 9 * Self.day)
                    try fixture.append([Self.message("b", at: 99 * Self.day)], now: 9 * Self.day)
                } else {
                    try fixture.append([Event(SelfInvited(by: "eve"), in: .group("g"))], now: 9 * Self.day - 1)
                    try fixture.append(
                        [Self.message("c", at: 10 * Self.day), Self.message("d", at: 9 * Self.day)], now: 5)
                    let (newest, latest) = (9 * Self.day, 10 * Self.day)
                    let expected: [[Int64]] = [
                        [newest - 1, newest, newest - 1], [5, newest, newest], [5, latest, latest],
                    ]
                    let found = try Array(clocks(fixture).suffix(3))
                    #expect(found == expected)
                }
            }
        }
    }

    @Test("a choice as earlier versions wrote it is restored and read as it was")
    func earlier() throws {
        try withTypes { fixture in
            try fixture.append([Event(SelfInvited(by: "eve"), in: .group("g"))], now: 5_000)
            var event = Event(ConversationPinned(), in: .group("g"))
            event.clockTime = Timestamp(milliseconds: 3_000)
            let prepared = try fixture.log.prepare(
                restoring: [
                    RecordedEvent(event, at: Position(2), recordedTime: Timestamp(milliseconds: 5_000)).replacing(event)
                ], account: LogFixture.account)
            try fixture.log.commit(prepared)
            #expect(try fixture.event(at: 2) == event)
            #expect(try clocks(fixture)[1] == [5_000, 5_000, 5_000])
            let kept = try fixture.scan { $0[CommonField.clockTime]?.milliseconds }
            #expect(kept == [nil, 3_000])
            #expect(try fixture.log.snapshot().lastPosition(recordedBy: Timestamp(milliseconds: 4_000)) == .origin)
        }
    }

    @Test("a record that says that it has a clock and is too short for one is none")
    func short() throws {
        try withTypes { fixture in
            try fixture.append([Event(SelfInvited(by: "eve"), in: .group("g"))])
            var bytes = try #require(try fixture.bytes(at: 1))
            let isRecord = if RecordView(bytes.span.bytes) == nil { false } else { true }
            bytes[RecordLayout.flags + 1] |= 1 << 5
            let isOneStill = if RecordView(bytes.span.bytes) == nil { false } else { true }
            #expect(isRecord && !isOneStill)
        }
    }
}
