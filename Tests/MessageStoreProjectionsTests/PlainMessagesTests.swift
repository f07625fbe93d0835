import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("Plain messages", .timeLimit(.minutes(30)))
struct PlainMessagesTests {
    private static let storeID = [UInt8](repeating: 1, count: 16)

    private func scratch(_ fixture: AdmissionFixture, _ path: String, of projections: [ProjectionID]) -> ScratchViews {
        let configuration = ViewConfiguration(durability: .none)
        let catalog = configuration.catalog
        let places = projections.compactMap(catalog.index).map { ProjectionSet($0) }
        return ScratchViews(
            nextTo: path + "/views", fixture.log, storeID: Self.storeID, configuration,
            of: places.reduce(into: ProjectionSet()) { $0.formUnion($1) })
    }

    @Test("only a fold of all projections that they are about folds them apart")
    func arrivals() {
        let catalog = ProjectionCatalog.builtIn
        #expect(FoldPlan(catalog, folded: catalog.all).arrivals != 0)
        for id in [ProjectionID.messages, .timeline, .conversationList, .unreadCounters, .timers] {
            guard let index = catalog.index(of: id) else { continue }
            let others = catalog.all.subtracting(ProjectionSet(index))
            #expect(FoldPlan(catalog, folded: others).arrivals == 0)
        }
    }

    @Test(
        "the rows are those of folds of some projections, in which messages take the general way",
        arguments: Seeds.first(8))
    func sameRows(seed: UInt64) throws {
        try withTemporaryDirectory { path in
            let fixture = try AdmissionFixture(path)
            var random = RandomEvents(
                seed: seed, futureChance: seed.isMultiple(of: 2) ? 0.05 : 0,
                timerChance: seed.isMultiple(of: 3) ? 0.1 : 0)
            // Where rooms were left, every message takes the general way.
            while fixture.log.lastPosition.rawValue < 600 {
                let batch = random.nextBatch(after: fixture.log.lastPosition)
                try fixture.append(batch.filter { $0.type != .chatRoomLeft })
            }
            let last = fixture.log.lastPosition.rawValue
            let all = scratch(fixture, path, of: ProjectionID.builtIn)
            #if DEBUG
            let before = PlainMessages.folded.withLock { $0 }
            #endif
            let parts = [scratch(fixture, path, of: [.conversationList]), scratch(fixture, path, of: [.timers])]
            for position in (1...10).map({ Position(last * $0 / 10) }) {
                try all.catchUp(to: position)
                let digests = try all.snapshot().digests()
                for part in parts {
                    try part.catchUp(to: position)
                    let expected = try part.snapshot().digests()
                    #expect(!expected.isEmpty && expected.count < digests.count)
                    #expect(digests.filter { expected[$0.key] != nil } == expected, "seed \(seed), \(position)")
                }
            }
            #if DEBUG
            let isShortWayTaken = PlainMessages.folded.withLock { $0 } > before
            #expect(isShortWayTaken)
            #endif
            let hasLeftRooms = try all.snapshot().hasLeftRooms
            #expect(!hasLeftRooms)
        }
    }
}
