import MessageStoreLMDB
@_spi(Storage) import MessageStoreLog
import Testing

@testable import MessageStoreProjections

@Suite("What projections read of others", .timeLimit(.minutes(30)))
struct ProjectionSourcesTests {
    private static let storeID = [UInt8](repeating: 1, count: 16)

    /// A log of random events, recorded through the admission of a store.
    private func withLog(seed: UInt64, _ body: (EventLog, String) throws -> Void) throws {
        try withTemporaryDirectory { path in
            let fixture = try AdmissionFixture(path)
            var random = RandomEvents(seed: seed)
            while fixture.log.lastPosition.rawValue < 400 {
                try fixture.append(random.nextBatch(after: fixture.log.lastPosition))
            }
            try body(fixture.log, path)
        }
    }

    private func fold(
        _ log: EventLog, _ path: String, _ catalog: ProjectionCatalog, _ projections: ProjectionSet
    ) throws -> [ProjectionID: UInt64] {
        let views = try ServedViews(
            log: log, path: path, storeID: Self.storeID, configuration: .init(durability: .none, catalog: catalog))
        let scratch = views.makeScratch(of: projections)
        try scratch.catchUp(to: log.lastPosition)
        return try scratch.snapshot().digests()
    }

    @Test("I12: each has the same rows when only it and what it declares to read is folded", arguments: Seeds.first(1))
    func declaredSources(seed: UInt64) throws {
        try withLog(seed: seed) { log, path in
            let catalog = ProjectionCatalog.builtIn
            let all = try fold(log, path + "/views-all", catalog, catalog.all)
            for (index, id) in catalog.ids.enumerated() {
                let alone = try fold(log, path + "/views-\(index)", catalog, ProjectionSet(index))
                #expect(alone[id] == all[id], "\(id), seed \(seed)")
            }
        }
    }

    @Test("one of the library with another version is rebuilt with its readers alone, others keep their rows")
    func builtInBumped() throws {
        try withLog(seed: 7) { log, path in
            let catalog = ProjectionCatalog.builtIn
            var before: [ProjectionID: UInt64] = [:]
            do {
                let views = try ServedViews(
                    log: log, path: path + "/v", storeID: Self.storeID, configuration: .init(durability: .none))
                try views.finish()
                before = try views.snapshot().digests()
            }
            let bumped = ProjectionCatalog(raising: .members)
            let views = try ServedViews(
                log: log, path: path + "/v", storeID: Self.storeID,
                configuration: .init(durability: .none, catalog: bumped))
            let outdated = bumped.ids.enumerated().filter { views.outdatedProjections.contains($0.offset) }.map(
                \.element)
            #expect(outdated == [.members, .conversationIndex])
            try views.read { views in
                // The list shows how many members there are.
                let error = #expect(throws: StoreError.self) { try views.conversations() }
                #expect(error?.code == .rebuilding)
                #expect(throws: Never.self) { try views.unreadTotals() }
                let others = try views.snapshot.digests()
                #expect(others == before.filter { $0.key != .members && $0.key != .conversationIndex })
            }
            try views.rebuildOutdated { _, _ in }
            #expect(try views.snapshot().digests() == before)
            #expect(views.isUpToDate)
            try views.finish()
            #expect(catalog.ids == bumped.ids)
        }
    }

    @Test("opening waits for those without which nothing can be admitted")
    func admissionBumped() throws {
        try withLog(seed: 8) { log, path in
            do {
                let views = try ServedViews(
                    log: log, path: path + "/v", storeID: Self.storeID, configuration: .init(durability: .none))
                try views.finish()
            }
            let views = try ServedViews(
                log: log, path: path + "/v", storeID: Self.storeID,
                configuration: .init(durability: .none, catalog: ProjectionCatalog(raising: .timeline)))
            #expect(views.isUpToDate)
            #expect(try views.verify(limit: 10) { _, _ in }.differenceCount == 0)
            try views.finish()
        }
    }
}

extension ProjectionCatalog {
    /// The library's projections, one of them of the next version.
    fileprivate convenience init(raising id: ProjectionID) {
        self.init(
            checked: BuiltInProjections.all.map { registered in
                let old = registered.declaration
                guard old.id == id else { return registered }
                let new = ProjectionDeclaration(
                    old.id, version: old.version + 1, events: old.events, reads: old.reads, tables: old.tables)
                return RegisteredProjection(new, makeFold: registered.makeFold)
            })
    }
}
