import MessageStoreLMDB
@_spi(Storage) import MessageStoreLog
import Testing

@Suite struct `Damaged records` {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    @Test("I10: a flipped bit is reported with its position", arguments: [0, 8, 16, 20, 22, 24, 40, 56, 60, 64, 70])
    func flippedBit(offset: Int) throws {
        try withDamage { bytes in bytes?[offset] ^= 0x10 }
    }

    @Test("I10: a record of a wrong length is reported with its position", arguments: [0, 1, 63, 64, 1000])
    func wrongLength(length: Int) throws {
        try withDamage { bytes in
            bytes = Array(((bytes ?? []) + [UInt8](repeating: 0, count: 1000)).prefix(length))
        }
    }

    @Test("I10: a missing record is reported with its position") func missingRecord() throws {
        try withDamage { $0 = nil }
    }

    @Test("I10: beyond the log's ends there is no record") func beyondTheEnds() throws {
        #expect(try fixture.bytes(at: 1) == nil)
        try fixture.append(Self.events)
        #expect(try fixture.bytes(at: 0) == nil && fixture.bytes(at: 4) == nil)
    }

    @Test("I10: a record in another's place is reported") func swappedRecord() throws {
        try fixture.append(Self.events)
        let second = try fixture.bytes(at: 2)
        try fixture.overwrite(3) { $0 = second }
        #expect(storeError { try fixture.bytes(at: 3) }?.position == Position(3))
    }

    @Test("I10: a key that is no position is reported") func foreignKey() throws {
        try fixture.append(Self.events)
        try fixture.overwrite(.max) { $0 = [1] }
        #expect(storeError { try fixture.log.snapshot().lastPosition() }?.code == .logDamaged)
        #expect(storeError { try fixture.scanBackwards() }?.code == .logDamaged)
    }

    @Test("I10: a subscriber's position that no log reaches is reported") func impossibleSubscription() throws {
        try fixture.log.setSubscriptionPosition(Position(.max), of: "s")
        #expect(storeError { try fixture.log.subscriptionPosition(of: "s") }?.code == .logDamaged)
        #expect(storeError { try fixture.log.subscriptionPositions() }?.code == .logDamaged)
    }

    @Test("I10: a log whose last record is damaged opens, and recorded times do not fall") func damagedEnd() throws {
        try withTemporaryDirectory { path in
            do {
                let log = try EventLog(path: path, configuration: .ofTests(access: .create))
                let fixture = LogFixture(log: log)
                try fixture.append(Self.events, now: 900)
                try fixture.append(Self.events, now: 950)
                try fixture.overwrite(6) { $0?[30] ^= 1 }
            }
            let fixture = LogFixture(log: try EventLog(path: path, configuration: .ofTests(access: .readWrite)))
            #expect(fixture.log.lastPosition.rawValue == 6)
            try fixture.append([AppendTests.pinned], now: 0)
            #expect(try fixture.scan(from: 7) { $0.recordedTime.milliseconds } == [950])
        }
    }

    static let events = (0..<3).map {
        Event(ConversationDraftChanged("text \($0)"), in: .group("g"))
    }

    /// Damages record 2 of 3 and looks at it in every way there is.
    private func withDamage(_ change: (inout [UInt8]?) -> Void) throws {
        let fixture = try LogFixture()
        try fixture.append(Self.events)
        try fixture.overwrite(2, change)
        let errors = [
            storeError { try fixture.scan { $0.position } }, storeError { try fixture.scanBackwards() },
            storeError { try fixture.bytes(at: 2) }, storeError { try fixture.log.redact(Position(2)) },
        ]
        for error in errors {
            #expect(error?.code == .recordDamaged)
            #expect(error?.position == Position(2))
            #expect(error?.description.contains("text") == false)
        }
        #expect(try fixture.scan(from: 3) { $0.position.rawValue } == [3])
        #expect(try fixture.scanBackwards(from: 1) == [1])
    }
}
