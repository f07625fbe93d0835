import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("D1: positions of subscribers after a crash") struct SubscriptionPositionTests {
    private static func event(_ number: Int) -> Event {
        Event(ConversationDraftChanged("draft \(number)"), in: .group("g"))
    }

    @Test("one that is ahead of what a crash left goes back to the log's end; the others stay", arguments: [0, 1, 3])
    func aheadOfLog(durable: Int) throws {
        let journal = try JournalFixture()
        for number in 0..<durable { try journal.record([Self.event(number)]) }
        for number in 0..<2 { _ = try journal.stage(Self.event(durable + number)) }
        for position in 0...UInt64(durable + 2) {
            try journal.log.setSubscriptionPosition(Position(position), of: "at \(position)")
        }
        let log = try JournalFixture.reopened(journal.crashed()).log
        #expect(log.lastPosition == Position(UInt64(durable)))
        let found = try log.subscriptionPositions()
        #expect(found.count == durable + 3)
        for (index, (name, position)) in found.enumerated() {
            #expect(name == "at \(index)")
            #expect(position == Position(UInt64(min(index, durable))))
        }
    }
}
