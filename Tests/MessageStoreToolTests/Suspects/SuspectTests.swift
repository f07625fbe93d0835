import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore suspects", .timeLimit(.minutes(30)))
struct SuspectTests {
    private static let faults = TestSize.of(
        plain: [PlantedLog.Fault.markerAhead, .editByOther, .countTooHigh, .strangersReceipt, .mutedBySummary],
        full: [
            .markerAhead, .muteByFastClock, .removedMember, .removedAccount, .editByOther, .wrongRecall,
            .clearedHistory, .countTooHigh, .oldProfile, .receiptAhead, .deletedMessage, .summaryAhead,
            .strangersReceipt, .mutedBySummary,
        ])

    @Test("the planted event is among the first three", arguments: faults, [1] as [UInt64])
    func first(fault: PlantedLog.Fault, seed: UInt64) throws {
        let place = try ToolPlace()
        let planted = try PlantedLog(
            fault, seed: seed, events: TestSize.of(plain: 400, full: 1_500), at: place.store)
        let store = try MessageStore.openReadOnly(place.store, configuration: .ofTests)
        let condition = try Condition(value: planted.value, in: store)
        for expected in [try condition.value(from: planted.expected), nil] {
            let search = try SuspectSearch(
                condition, in: store, through: store.lastPosition(), expected: expected, since: nil, Names(store))
            let rank = search.suspects.firstIndex { $0.event.position == planted.planted }
            #expect(rank ?? .max < 3)
        }
        try store.close()
    }
}
