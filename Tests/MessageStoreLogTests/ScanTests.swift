@_spi(Storage) import MessageStoreLog
import Testing

@Suite struct `Scanning the log` {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    @Test(
        arguments: [
            (0, .max, [1, 2, 3, 4, 5]), (1, 5, [1, 2, 3, 4, 5]), (2, 4, [2, 3, 4]), (5, 9, [5]), (6, 9, []),
            (3, 2, []), (.max, .max, []), (0, 0, []),
        ] as [(UInt64, UInt64, [UInt64])])
    func `both directions give the records between two positions`(
        first: UInt64, last: UInt64, expected: [UInt64]
    ) throws {
        try fixture.append([Event](repeating: AppendTests.pinned, count: 5))
        #expect(try fixture.scan(from: first, to: last) { $0.position.rawValue } == expected)
        #expect(try fixture.scanBackwards(from: last, downTo: first) == expected.reversed())
    }

    @Test func `an empty log has no records, and a scan ends where its body says stop`() throws {
        #expect(try fixture.scan { $0.position } == [])
        #expect(try fixture.scanBackwards() == [])
        let snapshot = try fixture.log.snapshot()
        #expect(try snapshot.lastPosition() == .origin)
        #expect(try snapshot.firstPosition(recordedAtOrAfter: .unknown) == Position(1))
        for position in [0, 1, UInt64.max] { #expect(try fixture.bytes(at: position) == nil) }
        try fixture.append([Event](repeating: AppendTests.pinned, count: 5))
        let later = try fixture.log.snapshot()
        var seen = 0
        try later.scan(from: Position(1), to: Position(5)) { record in
            seen += 1
            return record.position.rawValue == 2 ? .stop : .proceed
        }
        try later.scanBackwards(from: Position(5), downTo: Position(1)) { record in
            seen += 10
            return record.position.rawValue == 3 ? .stop : .proceed
        }
        #expect(seen == 32)
    }

    @Test(
        arguments: [(0, 1), (100, 1), (101, 3), (300, 3), (301, 5), (500, 5), (501, 6), (.max, 6)] as [(Int64, UInt64)])
    func `the first position of a time`(time: Int64, position: UInt64) throws {
        for now in [100, 100, 300, 300, 500] as [Int64] { try fixture.append([AppendTests.pinned], now: now) }
        let found = try fixture.log.snapshot().firstPosition(recordedAtOrAfter: Timestamp(milliseconds: time))
        #expect(found.rawValue == position)
    }

    @Test("I7: a snapshot does not see what is appended later") func snapshotStays() throws {
        try fixture.append([AppendTests.pinned])
        try readWhileAppending(fixture)
        #expect(fixture.log.lastPosition.rawValue == 2)
    }

    private func readWhileAppending(_ fixture: LogFixture) throws {
        let snapshot = try fixture.log.snapshot()
        try fixture.append([AppendTests.pinned])
        #expect(try snapshot.lastPosition().rawValue == 1)
        #expect(try snapshot.record(at: Position(2)) == nil)
    }
}
