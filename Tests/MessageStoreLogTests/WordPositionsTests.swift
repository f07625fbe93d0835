import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("Records with words, by conversation") struct WordPositionsTests {
    private let fixture: LogFixture

    init() throws { fixture = try LogFixture() }

    @Test("are those that a scan finds, whatever is appended, redacted and cut off", arguments: [1, 2, 3])
    func sameRecords(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for round in 0..<40 {
            let events = (0..<random.nextIndex(60)).map { _ in event(&random) }
            if random.chance(0.3) {
                // Not committed yet.
                fixture.log.stage(
                    try fixture.log.prepare(events, account: LogFixture.account, now: Timestamp(milliseconds: 1000)))
            } else if !events.isEmpty {
                try fixture.append(events)
            }
            if random.chance(0.3) { try redact(&random) }
            if round == 25 { try cut(&random) }
            for _ in 0..<4 {
                let conversation = UInt32(random.nextIndex(12))
                let last = random.chance(0.5) ? UInt64.max : UInt64(random.nextIndex(1200))
                let all = try fixture.scan(to: last) { record in
                    record.conversation == conversation && !record.flags.contains(.isRedacted)
                        && [.messageReceived, .messageModified].contains(record.type) ? record.position.rawValue : nil
                }
                #expect(try found(conversation, to: last) == all.compactMap(\.self))
            }
        }
    }

    @Test(
        "I10: damage is found at the first look, and later in the conversation's records, whatever they say",
        arguments: [RecordLayout.conversation, RecordLayout.headerSize])
    func damage(offset: Int) throws {
        for number in 0..<4 { try fixture.append((0..<10).map { Self.message($0, in: number) }) }
        var bytes: [UInt8]?
        try fixture.overwrite(35) {
            bytes = $0
            $0?[offset] ^= 1
        }
        let error = storeError { try found(2) }
        #expect(error?.code == .recordDamaged && error?.position == Position(35))
        try fixture.overwrite(35) { $0 = bytes }
        #expect(try found(2) == Array(11...20))
        try fixture.overwrite(35) { $0?[offset] ^= 1 }
        #expect(try found(2) == Array(11...20))
        #expect(storeError { try found(4) }?.position == Position(35))
    }

    private func event(_ random: inout SplitMix64) -> Event {
        let (number, group) = (random.nextIndex(1000), random.nextIndex(10))
        return switch random.nextIndex(4) {
        case 0: Event(ConversationPinned(), in: .group("g\(group)"))
        case 1:
            Event(
                MessageModified(.server("m\(number)"), content: .text("new"), at: Timestamp(milliseconds: 2)),
                in: .group("g\(group)"))
        default: Self.message(number, in: group)
        }
    }

    private static func message(_ number: Int, in group: Int) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "u1", in: .group("g\(group)"), at: Timestamp(milliseconds: 1),
            content: .text("word \(number)"))
    }

    private func found(_ conversation: UInt32, to last: UInt64 = .max) throws -> [UInt64] {
        var positions: [UInt64] = []
        try fixture.log.snapshot().forEachRecordWithWords(of: conversation, to: Position(last)) {
            positions.append($0.position.rawValue)
        }
        return positions
    }

    private func redact(_ random: inout SplitMix64) throws {
        let words = try fixture.scan { $0.type == .messageReceived ? $0.position : nil }.compactMap(\.self)
        guard !words.isEmpty else { return }
        try fixture.log.redact((0..<10).map { _ in words[random.nextIndex(words.count)] })
    }

    /// Cuts off a third of the records, and a hundred that follow each other.
    private func cut(_ random: inout SplitMix64) throws {
        try fixture.log.commit()
        var cut = LogCut(cause: fixture.log.lastPosition)
        let first = UInt64(1 + random.nextIndex(300))
        let snapshot = try fixture.log.snapshot()
        for position in 1..<fixture.log.lastPosition.rawValue
        where random.chance(0.3) || (first..<first + 100).contains(position) {
            if let record = try snapshot.record(at: Position(position)) { cut.add(record) }
        }
        try fixture.log.compact(cuttingOff: cut, alone: { try $0() }, progress: { _, _ in })
    }
}
