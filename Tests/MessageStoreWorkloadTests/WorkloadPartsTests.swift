import MessageStoreWorkload
import Testing

@Suite("Workload parts")
struct WorkloadPartsTests {
    @Test("SplitMix64 gives the published stream of seed 1234567")
    func splitMix() {
        var random = SplitMix64(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect((0..<5).map { _ in random.next() } == expected)
    }

    @Test("Draws stay within their bounds")
    func draws() {
        var random = SplitMix64(seed: 3)
        for bound in [0, 1, 2, 7, 1_000] {
            #expect((0..<1_000).allSatisfy { _ in random.nextIndex(bound) < max(bound, 1) })
        }
        #expect(random.nextIndex(-1) == 0)
        #expect((0..<1_000).allSatisfy { _ in (0..<1).contains(random.nextUnit()) })
    }

    @Test("Zipf shares", arguments: [0, 0.8, 1.15, 2])
    func zipf(exponent: Double) {
        let sampler = ZipfSampler(count: 50, exponent: exponent)
        var random = SplitMix64(seed: 4)
        var counts = [Double](repeating: 0, count: 50)
        for _ in 0..<200_000 { counts[sampler.next(using: &random)] += 1 }
        // Rank 4 against rank 1 is 4^-s, written without a library's pow: s = 2 gives 1/16, s = 0 gives 1.
        let expected = [0: 1, 0.8: 0.329_877, 1.15: 0.203_063, 2: 0.062_5][exponent] ?? .nan
        #expect(abs(counts[3] / counts[0] - expected) < 0.05)
    }

    @Test("Samplers of any size draw within it", arguments: [-1, 0, 1, 2, 3, 1_000])
    func zipfSizes(count: Int) {
        let sampler = ZipfSampler(count: count, exponent: 1)
        var random = SplitMix64(seed: 5)
        #expect(sampler.count == max(count, 1))
        #expect((0..<1_000).allSatisfy { _ in (0..<max(count, 1)).contains(sampler.next(using: &random)) })
    }

    @Test("Quantile tables give back their points and straight lines between")
    func quantiles() {
        let table = QuantileTable([.init(1_000_000, 300), .init(0, 0), .init(500_000, 100)])
        #expect([0, 250_000, 500_000, 750_000, 1_000_000].map(table.value(perMillion:)) == [0, 50, 100, 200, 300])
        #expect(table.mean == 125)
    }

    @Test("Texts have exactly the wanted length, with and without a mention")
    func textLengths() {
        var random = SplitMix64(seed: 6)
        var text = WorkloadText(emojiShare: 0.3)
        for script in [WorkloadText.Script.latin, .chinese] {
            for byteCount in [0, -1] + Array(1...400) + [5_248] {
                for mention in [nil, "王晓燕"] {
                    let result = text.next(script, byteCount: byteCount, mention: mention, using: &random)
                    #expect(result.utf8.count == max(byteCount, 0))
                    #expect(!result.unicodeScalars.contains("\u{FFFD}"))
                }
            }
        }
    }

    @Test("Ids are unique, names are short enough to mention and of both scripts")
    func directory() {
        let directory = WorkloadDirectory(.fitted)
        let users = 0..<directory.users
        let ids = users.map(directory.userID) + (0..<directory.conversations).map(directory.conversationID)
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.utf8.count == 24 })
        let names = users.map(directory.userName)
        #expect(names.allSatisfy { (1...14).contains($0.utf8.count) })
        #expect(names.contains { $0.hasPrefix("王") } && names.contains { $0.hasPrefix("Anna") })
        #expect((0..<directory.conversations).allSatisfy { !directory.conversationName($0).isEmpty })
        #expect([Int.min, -1, .max].allSatisfy { !directory.conversationName($0).isEmpty })
    }

    @Test("Members of a conversation are different users")
    func members() {
        let directory = WorkloadDirectory(.fitted)
        for conversation in 0..<directory.conversations {
            let count = directory.memberCount(ofConversation: conversation)
            let members = (0..<count).map { directory.member(rank: $0, ofConversation: conversation) }
            #expect(Set(members).count == count)
            #expect(members.allSatisfy { (1..<directory.users).contains($0) })
        }
        #expect([Int.min, -1, .max].allSatisfy { directory.memberCount(ofConversation: $0) >= 1 })
    }
}
