import MessageStoreLMDB
@_spi(Storage) import MessageStoreLog
import Testing

@Suite struct `Events through the log` {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    @Test func `the samples hold every known type`() {
        let missing = Set(EventType.known.map(\.type)).symmetricDifference(SampleEvents.all.map(\.type))
        #expect(missing == [], "add events of them to Sources/MessageStoreTestKit/Samples/SampleEvents*.swift")
    }

    @Test("every event comes back as it was", arguments: SampleEvents.all) func roundTrip(event: Event) throws {
        let position = try fixture.append([SampleEvents.first, event])[1]
        let decoded = try fixture.event(at: position.rawValue)
        #expect(decoded == event.asRecorded)
    }

    @Test func `all of them in one batch come back, also after closing and opening`() throws {
        try withTemporaryDirectory { path in
            do {
                let log = try EventLog(path: path, configuration: .ofTests(access: .create, mapSize: 1 << 20))
                try LogFixture(log: log).append(SampleEvents.all)
            }
            let log = try EventLog(path: path, configuration: .ofTests(access: .readOnly))
            #expect(log.lastPosition.rawValue == UInt64(SampleEvents.all.count))
            for (index, event) in SampleEvents.all.enumerated() {
                #expect(try LogFixture(log: log).event(at: UInt64(index + 1)) == event.asRecorded)
            }
        }
    }

    @Test func `recording a decoded event again gives the same bytes but place, time and checksum`() throws {
        let events = SampleEvents.all.filter { $0.id == nil && $0.type != .messageReceived }
        let unique = events.filter { if $0.payload is MessageSendQueued { false } else { true } }
        try fixture.append([SampleEvents.first])
        for event in unique {
            let first = try fixture.append([event])[0]
            let decoded = try fixture.event(at: first.rawValue) ?? event
            let second = try fixture.append([decoded])[0]
            #expect(first != second)
            let bytes = try [first, second].map { try fixture.bytes(at: $0.rawValue)?.dropFirst(16) }
            #expect(bytes[0] == bytes[1])
        }
    }
}
