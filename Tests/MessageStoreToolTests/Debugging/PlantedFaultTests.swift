import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore doctor on planted faults", .timeLimit(.minutes(30)))
struct PlantedFaultTests {
    private static let symptoms: [(PlantedLog.Fault, Symptom)] = [
        (.markerAhead, .ahead), (.muteByFastClock, .lostChoice), (.removedMember, .late),
        (.removedAccount, .afterRemoval), (.editByOther, .foreignChange), (.receiptAhead, .ahead),
        (.oldProfile, .oldName), (.countTooHigh, .serverCount), (.markerCut, .cutTimes), (.twoKinds, .twoKinds),
        (.ownCase, .ownCase), (.repeated, .repeats), (.countTakenBack, .takenBack), (.summaryAhead, .ahead),
        (.strangersReceipt, .foreignReceipt), (.recallByOther, .foreignChange), (.kickedWriter, .afterRemoval),
        (.markerElsewhere, .offMarker), (.echoOfDevice, .ownCase), (.lateMessage, .far), (.messageAhead, .far),
        (.nameOfAnother, .foreignName), (.expiryWithoutTimer, .noTimer), (.uncounted, .turn),
        (.misrouted, .foreignSender), (.cutMemberList, .afterRemoval), (.emptyName, .oldName),
        (.otherCase, .twoKinds), (.muteForDuration, .seconds),
    ]

    private func findings(_ fault: PlantedLog.Fault?, seed: UInt64) throws -> (PlantedLog, [(Symptom, Findings)]) {
        let place = try ToolPlace()
        // A count that stopped is judged against many before it.
        let plain = fault == .uncounted ? 1_500 : 600
        let planted = try PlantedLog(
            fault, seed: seed, events: TestSize.of(plain: plain, full: 3_000), at: place.store)
        let store = try MessageStore.openReadOnly(place.store, configuration: .ofTests)
        defer { try? store.close() }
        let examination = try Examination(store, limit: 5, skipsEffects: false) { _, _ in }
        return (planted, examination.findings.map { ($0.symptom, $0.findings) })
    }

    @Test("a fault is named, and nothing else", arguments: symptoms, [1] as [UInt64])
    func named(fault: (PlantedLog.Fault, Symptom), seed: UInt64) throws {
        let (planted, found) = try findings(fault.0, seed: seed)
        let symptom = found.first { $0.0 == fault.1 }?.1
        #expect(symptom?.count == 1 || fault.1 == .ahead, "\(found.map { ($0.0, $0.1.first.map(\.position)) })")
        // The choice that lost came next; the views have no event of their own.
        let place = fault.0 == .muteByFastClock ? Position(planted.planted.rawValue + 1) : planted.planted
        if fault.1 != .serverCount { #expect(symptom?.first.first?.position == place) }
        // Several symptoms may name the planted event.
        let others = found.filter { found in found.1.first.contains { $0.position != place } }.map(\.0)
            .filter { $0 != fault.1 && $0 != .noEffect }
        #expect(others.isEmpty, "\(others)")
    }

    @Test("a healthy log has no symptom but events that changed nothing", arguments: [1, 2] as [UInt64])
    func healthy(seed: UInt64) throws {
        let (_, found) = try findings(nil, seed: seed)
        #expect(found.map(\.0).filter { $0 != .noEffect }.isEmpty)
    }

    private static let directory = ProcessInfo.processInfo.environment["MESSAGESTORE_PLANTED"]

    /// Stores of 20,000 events for trials of the tool by hand, in the directory that `MESSAGESTORE_PLANTED` names, each with a
    /// line of what is wrong with it.
    @Test(
        "stores with planted faults", .enabled(if: directory != nil), arguments: PlantedLog.Fault.allCases,
        [1] as [UInt64])
    func stores(fault: PlantedLog.Fault, seed: UInt64) throws {
        let path = "\(Self.directory ?? "")/\(fault)-\(seed)"
        let planted = try PlantedLog(fault, seed: seed, events: 20_000, at: path)
        let words = [planted.planted.description, planted.value, planted.expected, planted.condition]
        try words.joined(separator: "\t").write(toFile: path + ".tsv", atomically: true, encoding: .utf8)
    }
}
