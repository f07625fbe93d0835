import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("Folds by several threads", .timeLimit(.minutes(30)))
struct FoldShardTests {
    private static let storeID = [UInt8](repeating: 1, count: 16)

    private func scratch(
        _ fixture: AdmissionFixture, _ path: String, shards: Int, _ events: UInt64, bytes: Int = .max
    ) -> ScratchViews {
        var configuration = ViewConfiguration(durability: .none)
        configuration.shards = shards
        configuration.shardedEvents = events
        configuration.replayBytes = bytes
        return ScratchViews(
            nextTo: path + "/views", fixture.log, storeID: Self.storeID, configuration,
            of: configuration.catalog.all)
    }

    private func withLog(seed: UInt64, _ body: (AdmissionFixture, String) throws -> Void) throws {
        try withTemporaryDirectory { path in
            let fixture = try AdmissionFixture(path)
            var random = RandomEvents(seed: seed, timerChance: 0.1)
            while fixture.log.lastPosition.rawValue < 600 {
                try fixture.append(random.nextBatch(after: fixture.log.lastPosition))
            }
            try body(fixture, path)
        }
    }

    @Test("I12: parts of the conversations, folded apart, have the rows of one fold", arguments: Seeds.first(4))
    func sameRows(seed: UInt64) throws {
        try withLog(seed: seed) { fixture, path in
            let last = fixture.log.lastPosition
            let positions = (1...20).map { Position(last.rawValue * $0 / 20) }
            let whole = scratch(fixture, path, shards: 1, 1)
            // All in memory, and written again and again.
            let parts = [(2, .max), (4, .max), (2, 300_000), (4, 300_000)].map { (shards: Int, bytes: Int) in
                scratch(fixture, path, shards: shards, 7, bytes: bytes)
            }
            for position in positions {
                try whole.catchUp(to: position)
                for part in parts {
                    try part.catchUp(to: position)
                    var differences: [DifferingRow] = []
                    let one = try whole.snapshot()
                    let other = try part.snapshot()
                    try one.compare(with: other) { differences.append($0) }
                    #expect(
                        differences.isEmpty, "\(differences.first.map { "\($0)" } ?? "") at \(position), seed \(seed)")
                    #expect(try one.digests() == other.digests(), "seed \(seed)")
                }
            }
        }
    }

    @Test("a build of a log that may still lose events ends, and writes none of them")
    func uncommitted() throws {
        try withLog(seed: 5) { fixture, path in
            let last = fixture.log.lastPosition
            let whole = scratch(fixture, path, shards: 1, 1)
            try whole.catchUp(to: last)
            fixture.log.end.withLock { $0.committed = Position(10) }
            let parts = scratch(fixture, path, shards: 2, 50, bytes: 1)
            try parts.catchUp(to: last)
            let (expected, found) = (try whole.snapshot().digests(), try parts.snapshot().digests())
            #expect(found == expected)
            let isWritten = try parts.written() != nil
            #expect(!isWritten)
        }
    }

    @Test("a build that follows in small steps is written as its buffer fills")
    func smallSteps() throws {
        try withLog(seed: 6) { fixture, path in
            let steps = scratch(fixture, path, shards: 2, 1000, bytes: 1)
            for position in stride(from: UInt64(50), through: 600, by: 50) { try steps.catchUp(to: Position(position)) }
            let checkpoint = try steps.written()?.checkpoint.position
            #expect(try #require(checkpoint) >= Position(500))
        }
    }

    @Test("I10: the first damaged record is reported, whichever part has it", arguments: [1, 2, 4])
    func firstDamage(shards: Int) throws {
        try withLog(seed: 3) { fixture, path in
            for position in [500, 350, 333, 120] as [UInt64] {
                let snapshot = try fixture.log.snapshot()
                var bytes = try snapshot.record(at: Position(position))?.bytes.copied ?? []
                bytes[bytes.count - 1] ^= 1
                try fixture.replace(position, by: bytes)
                let error = #expect(throws: StoreError.self) {
                    try scratch(fixture, path, shards: shards, 200).catchUp(to: fixture.log.lastPosition)
                }
                #expect(error?.code == .recordDamaged)
                #expect(error?.position == Position(position))
            }
        }
    }
}
