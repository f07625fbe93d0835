import MessageStoreWorkload
import Testing

@Suite("Workload edges")
struct WorkloadEdgeTests {
    @Test("No events, negative counts")
    func empty() {
        #expect(Array(WorkloadGenerator(.fitted, eventCount: 0)).isEmpty)
        #expect(Array(WorkloadGenerator(.fitted, eventCount: -5)).isEmpty)
    }

    @Test("One conversation or few users", arguments: [1, 2, 3], [0.0, 1.0])
    func small(users: Int, singleShare: Double) {
        var parameters = WorkloadParameters.stress
        parameters.conversations = 1
        parameters.users = users
        parameters.singleShare = singleShare
        let events = Array(WorkloadGenerator(parameters, eventCount: 2_000))
        #expect(events.count == 2_000)
        #expect(events.allSatisfy { $0.conversation == 0 && (0..<users).contains($0.sender) })
    }

    @Test("All shares at 0, at 1 and out of range", arguments: [0, 1, -3, 7, Double.nan, .infinity])
    func shares(_ share: Double) {
        let events = Array(WorkloadGenerator(Self.parameters(share: share), eventCount: 2_000))
        #expect(events.count == 2_000)
        guard share == 0 else { return }
        #expect(events.allSatisfy { $0.kind == .text && $0.duplicateOf == nil && !$0.isOwn })
        #expect(events.map(\.timeMs) == events.map(\.timeMs).sorted())
    }

    @Test("Numbers far out of range are brought into it", arguments: [Int.min, -1, 0])
    func numbers(_ value: Int) {
        var parameters = WorkloadParameters.fitted
        parameters.conversations = value
        parameters.users = value
        parameters.largestGroup = value
        parameters.duplicateRunLength = value
        parameters.outOfOrderMaximumMs = value
        parameters.startTimeMs = Int64(value)
        parameters.gapMs = QuantileTable([])
        parameters.latinBytes = QuantileTable([.init(value, value), .init(.max, .min)])
        #expect(Array(WorkloadGenerator(parameters, eventCount: 500)).count == 500)
    }

    @Test("Extreme exponents", arguments: [-2, 0, 8, 1e300, Double.nan])
    func exponents(_ exponent: Double) {
        var parameters = WorkloadParameters.fitted
        parameters.conversationExponent = exponent
        parameters.senderExponent = exponent
        parameters.groupSizeExponent = exponent
        parameters.startTimeMs = .max
        #expect(Array(WorkloadGenerator(parameters, eventCount: 500)).count == 500)
    }

    private static func parameters(share: Double) -> WorkloadParameters {
        var parameters = WorkloadParameters.fitted
        parameters.singleShare = share
        parameters.conversationStickiness = share
        parameters.senderStickiness = share
        parameters.answerShare = share
        parameters.ownMessageShare = share
        parameters.memberEventShare = share
        parameters.cjkShare = share
        parameters.mentionShare = share
        parameters.emojiShare = share
        parameters.duplicateShare = share
        parameters.outOfOrderShare = share
        return parameters
    }
}
