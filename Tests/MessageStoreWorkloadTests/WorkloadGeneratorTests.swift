import MessageStoreWorkload
import Testing

@Suite("Workload generator")
struct WorkloadGeneratorTests {
    /// FNV-1a over all fields of an event.
    private static func checksum(_ events: some Sequence<WorkloadEvent>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for event in events {
            let line =
                "\(event.index) \(event.conversation) \(event.conversationKind) \(event.kind) \(event.sender) "
                + "\(event.timeMs) \(event.serverID) \(event.duplicateOf ?? -1) \(event.text)\n"
            for byte in line.utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        }
        return hash
    }

    @Test("The first 10,000 events are the same on every machine")
    func golden() {
        #expect(Self.checksum(WorkloadGenerator(.fitted, eventCount: 10_000)) == 6_676_045_404_915_024_172)
        #expect(Self.checksum(WorkloadGenerator(.stress, eventCount: 10_000)) == 15_340_797_470_852_707_135)
    }

    @Test("A seed decides all events, and a longer workload begins like a shorter one")
    func seeds() {
        var other = WorkloadParameters.fitted
        other.seed = 2
        let events = Array(WorkloadGenerator(.fitted, eventCount: 2_000))
        #expect(events == Array(WorkloadGenerator(.fitted, eventCount: 3_000).prefix(2_000)))
        #expect(Self.checksum(events) != Self.checksum(WorkloadGenerator(other, eventCount: 2_000)))
    }

    @Test("Repeated deliveries equal the first in all but the index, and other server ids are unique")
    func duplicates() {
        for parameters in [WorkloadParameters.fitted, .stress] {
            let events = Array(WorkloadGenerator(parameters, eventCount: 50_000))
            for event in events {
                guard let first = event.duplicateOf else { continue }
                var expected = events[first]
                #expect(expected.duplicateOf == nil)
                expected.index = event.index
                expected.duplicateOf = first
                #expect(event == expected)
            }
            let fresh = events.filter { $0.duplicateOf == nil }
            #expect(Set(fresh.map(\.serverID)).count == fresh.count)
            #expect(events.map(\.index) == Array(0..<50_000))
        }
    }

    @Test("Time-ordered server ids rise and have 24 digits; random ones have 36 characters")
    func serverIDs() {
        let fitted = WorkloadGenerator(.fitted, eventCount: 5_000).filter { $0.duplicateOf == nil }.map(\.serverID)
        #expect(fitted == fitted.sorted())
        #expect(fitted.allSatisfy { $0.utf8.count == 24 })
        let stress = WorkloadGenerator(.stress, eventCount: 5_000).map(\.serverID)
        #expect(stress.allSatisfy { $0.utf8.count == 36 })
        #expect(stress != stress.sorted())
    }

    @Test("A member who left does not write before joining again")
    func membership() {
        var parameters = WorkloadParameters.fitted
        parameters.memberEventShare = 0.2
        var away: [Int: Int] = [:]
        for event in WorkloadGenerator(parameters, eventCount: 50_000) where event.duplicateOf == nil {
            switch event.kind {
            case .text: #expect(away[event.conversation] != event.sender)
            case .memberLeft: #expect(away.updateValue(event.sender, forKey: event.conversation) == nil)
            case .memberJoined: #expect(away.removeValue(forKey: event.conversation) == event.sender)
            }
        }
    }
}
