import MessageStoreWorkload
import Testing

/// Counts 200,000 events of the fitted workload and compares them with what WORKLOAD.md reports of the real logs.
@Suite("Workload statistics")
struct WorkloadStatisticsTests {
    private static let events = Array(WorkloadGenerator(.fitted, eventCount: 200_000))
    private static let fresh = events.filter { $0.duplicateOf == nil }
    private static let texts = fresh.filter { $0.kind == .text }
    private static let groups = texts.filter { $0.conversationKind == .group }

    private static func share<Element>(of list: [Element], _ matches: (Element) -> Bool) -> Double {
        Double(list.count(where: matches)) / Double(max(list.count, 1))
    }

    @Test("Shares of events")
    func eventShares() {
        #expect(abs(Self.share(of: Self.events) { $0.duplicateOf != nil } - 0.0045) < 0.0015)
        #expect(abs(Self.share(of: Self.texts, \.isOwn) - 0.28) < 0.03)
        let inGroups = Self.fresh.filter { $0.conversationKind == .group }
        #expect(abs(Self.share(of: inGroups) { $0.kind != .text } - 0.011) < 0.002)
    }

    @Test("Busy conversations and runs of events in one conversation")
    func conversations() {
        var counts: [Int: Int] = [:]
        for event in Self.fresh { counts[event.conversation, default: 0] += 1 }
        let busiest = counts.values.sorted(by: >).prefix(100).reduce(0, +)
        // Zipf with exponent 1.15 over 1,000 gives 0.80; gitter-fcc has 0.89 and ubuntu-irc 0.68.
        #expect(abs(Double(busiest) / Double(Self.fresh.count) - 0.80) < 0.02)
        let pairs = Array(zip(Self.fresh, Self.fresh.dropFirst()))
        #expect(abs(Self.share(of: pairs) { $0.conversation == $1.conversation } - 0.728) < 0.01)
        #expect(abs(Self.share(of: pairs) { $0.timeMs > $1.timeMs } - 0.0113) < 0.002)
    }

    @Test("Senders who go on, and answers, in groups")
    func senders() {
        var last: [Int: Int] = [:]
        var beforeLast: [Int: Int] = [:]
        var (pairs, same, answers) = (0, 0, 0)
        for event in Self.groups {
            guard let speaker = last.updateValue(event.sender, forKey: event.conversation) else { continue }
            pairs += 1
            if speaker == event.sender {
                same += 1
            } else if beforeLast.updateValue(speaker, forKey: event.conversation) == event.sender {
                answers += 1
            }
        }
        #expect(abs(Double(same) / Double(pairs) - 0.370) < 0.015)
        #expect(abs(Double(answers) / Double(pairs - same) - 0.545) < 0.02)
    }

    @Test("Lengths, scripts and mentions")
    func contents() {
        let plain = Self.texts.filter { !$0.text.hasPrefix("@") }
        let isChinese = { (event: WorkloadEvent) in
            event.text.unicodeScalars.contains { (0x3000...0x9FFF).contains($0.value) }
        }
        #expect(abs(Self.share(of: plain, isChinese) - 0.081) < 0.015)
        let long = Self.groups.filter { $0.text.utf8.count >= WorkloadParameters.mentionMinimumBytes }
        #expect(abs(Self.share(of: long) { $0.text.hasPrefix("@") } - 0.316) < 0.01)
        let bytes = Self.texts.map(\.text.utf8.count).sorted()
        let quantiles = [0.5, 0.9, 0.99].map { bytes[Int(Double(bytes.count) * $0)] }
        // Mixed from the two tables: a little below the Latin 47/162/606.
        #expect((44...49).contains(quantiles[0]))
        #expect((150...164).contains(quantiles[1]))
        #expect((530...620).contains(quantiles[2]))
        #expect(bytes.first == 1)
    }

    @Test("Times between events")
    func gaps() {
        let gaps = zip(Self.fresh, Self.fresh.dropFirst()).map { $1.timeMs - $0.timeMs }.sorted()
        #expect(abs(Double(gaps[gaps.count / 2]) / 25_592 - 1) < 0.05)
        #expect(abs(Double(gaps[gaps.count * 9 / 10]) / 511_261 - 1) < 0.1)
    }
}
