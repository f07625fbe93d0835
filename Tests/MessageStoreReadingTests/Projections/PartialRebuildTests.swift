import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("A projection of another version", .timeLimit(.minutes(30)))
struct PartialRebuildTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    /// Lets a rebuild wait at its first event until it is told to go on.
    private final class Gate: Sendable {
        private let state = Locked((isReached: false, isOpen: false))

        func pass() {
            state.signal { $0.isReached = true }
            state.waitUntil({ $0.isOpen }) { _ in }
        }

        func waitUntilReached() { state.waitUntil({ $0.isReached }) { _ in } }

        func open() { state.signal { $0.isOpen = true } }
    }

    private func record(_ count: Int) throws {
        let store = try place.open { $0.projections = [Stars()] }
        for index in 0..<count {
            try store.record([starred(ServerMessageID("s\(index)"), at: Int64(index)), received("r\(index)", at: 1)])
        }
        try store.close()
    }

    private func state(_ store: MessageStore, _ id: ProjectionID) throws -> ProjectionStatus? {
        try store.read { try ViewDiagnostics.projections(in: $0).first { $0.id == id } }
    }

    @Test("is rebuilt alone while events are recorded and others are read; until then its queries throw `rebuilding`")
    func beside() async throws {
        try record(40)
        let gate = Gate()
        let changed = Stars(version: 2, hook: { _ in gate.pass() })
        let store = try place.open { $0.projections = [changed] }
        gate.waitUntilReached()
        let error = #expect(throws: StoreError.self) { try store.read { try $0.starred() } }
        #expect(error?.code == .rebuilding)
        #expect(try state(store, Stars.id)?.state == .rebuilding)
        #expect(try store.digests()[Stars.id] == nil)
        for id in ProjectionID.builtIn { #expect(try state(store, id)?.state == .current) }
        for index in 0..<20 {
            try await store.record([
                starred(ServerMessageID("n\(index)"), at: Int64(1000 + index)), received("q\(index)", at: 9),
            ])
            #expect(try await store.read { try $0.timeline(of: group).elements.count } == 20)
        }
        gate.open()
        try await store.waitUntilRebuilt()
        let expected = (0..<20).reversed().map { "n\($0)" } + (0..<40).reversed().map { "s\($0)" }
        #expect(try await store.read { try $0.starred() } == expected)
        #expect(try state(store, Stars.id)?.version == 2)
        try await store.record(starred("last", at: 9999))
        #expect(try await store.read { try $0.starred(limit: 1) } == ["last"])
        #expect(try await store.verify().isConsistent)
        try await store.close()
        // The next opening has nothing to rebuild.
        let reopened = try place.open {
            $0.projections = [Stars(version: 2, hook: { _ in Issue.record("folded again") })]
        }
        #expect(try await reopened.read { try $0.starred(limit: 1) } == ["last"])
        try await reopened.close()
    }

    @Test("is rebuilt as well when its rules or tables change, or when it is new", arguments: 0...2)
    func otherChanges(change: Int) async throws {
        try record(5)
        let store = try place.open { configuration in
            switch change {
            case 0: configuration.projections = [Stars(rules: "counts everything")]
            case 1: configuration.projections = [FewerStars()]
            default: configuration.projections = [Stars(), Newcomer()]
            }
        }
        try await store.waitUntilRebuilt()
        try await store.read { views in
            let shown1 = try views.starCount(of: group)
            #expect(shown1 == 5)
            if change == 2 { #expect(try views.rows(of: Newcomer.table).elements.count == 5) }
        }
        #expect(try await store.verify().isConsistent)
        try await store.close()
    }

    @Test("goes on as it was when the rebuild is cancelled, or the store closed meanwhile")
    func cancelled() async throws {
        try record(40)
        let store = try place.open { $0.projections = [Stars()] }
        let before = try store.digests()
        for projections in [[Stars.id], nil] as [Set<ProjectionID>?] {
            let gate = Gate()
            let task = Task { try await store.rebuild(projections) { _, _ in gate.pass() } }
            gate.waitUntilReached()
            task.cancel()
            gate.open()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try store.digests() == before)
        try await store.close()
        let gate = Gate()
        let closed = try place.open { $0.projections = [Stars(version: 2, hook: { _ in gate.pass() })] }
        gate.waitUntilReached()
        gate.open()
        try await closed.close()
        let reopened = try place.open { $0.projections = [Stars(version: 2)] }
        try await reopened.waitUntilRebuilt()
        #expect(try await reopened.read { try $0.starCount(of: group) } == 40)
        try await reopened.close()
    }

    @Test("who waits for it can be cancelled while another thread rebuilds, and learns how far that has come")
    func cancelledWait() async throws {
        try record(40)
        let gate = Gate()
        let store = try place.open { $0.projections = [Stars(version: 2, hook: { _ in gate.pass() })] }
        gate.waitUntilReached()
        let (reports, report) = AsyncStream.makeStream(of: Position.self)
        let waiting = Task { try await store.waitUntilRebuilt { _, last in report.yield(last) } }
        #expect(await reports.first { _ in true } == Position(80))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(try state(store, Stars.id)?.state == .rebuilding)
        gate.open()
        try await store.waitUntilRebuilt()
        #expect(try await store.read { try $0.starCount(of: group) } == 40)
        try await store.close()
    }

    @Test("what the progress callback throws ends the rebuild, and the old rows stay")
    func ended() throws {
        try record(40)
        let store = try place.open { $0.projections = [Stars()] }
        let before = try store.digests()
        #expect(throws: ProjectionError.self) { try store.rebuild { _, _ in throw ProjectionError(code: 1) } }
        #expect(try store.digests() == before)
        try store.close()
    }

    @Test("a store without the host's code leaves its rows alone, and the host rebuilds them if events came since")
    func unregistered() async throws {
        try record(5)
        let plain = try place.openReadOnly()
        let status = try #require(try state(plain, Stars.id))
        #expect(status.state == .unregistered)
        #expect(status.position == Position(10))
        #expect(try await plain.verify().isConsistent)
        #expect(try plain.digests()[Stars.id] == nil)
        try await plain.close()
        var store = try place.open { $0.projections = [Stars(hook: { _ in Issue.record("folded again") })] }
        #expect(try await store.read { try $0.starCount(of: group) } == 5)
        try await store.close()
        try place.withStore { try $0.record(starred("later", at: 99)) }
        store = try place.open { $0.projections = [Stars()] }
        try await store.waitUntilRebuilt()
        #expect(try await store.read { try $0.starCount(of: group) } == 6)
        #expect(try await store.verify().isConsistent)
        try await store.close()
        // A rebuild of everything drops what nobody registers.
        store = try place.open()
        try await store.rebuild()
        #expect(try state(store, Stars.id) == nil)
        try await store.close()
    }

    @Test("a reader never takes rows of another version for its own")
    func reader() throws {
        try record(5)
        let reader = try place.openReadOnly { $0.projections = [Stars(version: 2)] }
        let error = #expect(throws: StoreError.self) { try reader.read { try $0.starCount(of: group) } }
        #expect(error?.code == .rebuilding)
        #expect(try reader.read { try $0.timeline(of: group).elements.count } == 5)
        try reader.close()
    }

    @Test("what decides about the rows decides about their use", arguments: 0...3)
    func rules(change: Int) async throws {
        try record(3)
        var stars = Stars()
        switch change {
        case 0: stars.failurePolicy = .skip
        case 1: stars.handled.insert(.conversationPinned)
        case 2: stars.reads = [.messages]
        default: stars.rules = "other"
        }
        let gate = Gate()
        stars.hook = { _ in gate.pass() }
        let changed = stars
        let store = try place.open { $0.projections = [changed] }
        gate.waitUntilReached()
        #expect(try state(store, Stars.id)?.state == .rebuilding)
        gate.open()
        try await store.waitUntilRebuilt()
        #expect(try await store.read { try $0.starCount(of: group) } == 3)
        try await store.close()
    }

    @Test("a rebuild of one takes along what it reads and has no rows yet")
    func sources() async throws {
        try await place.open { $0.projections = [Stars(), Newcomer()] }.close()
        try place.withStore { store in
            for index in 0..<5 { try store.record(starred(ServerMessageID("s\(index)"), at: Int64(index))) }
        }
        let store = try place.open { $0.projections = [Stars(version: 2), Newcomer()] }
        try await store.rebuild([Newcomer.table.projection])
        try await store.record(starred("more", at: 100))
        #expect(
            try await store.read { try $0.rows(of: Newcomer.table).elements.map(\.value.count) } == [1, 2, 3, 4, 5, 6])
        #expect(try await store.verify().isConsistent)
        try await store.close()
    }
}

private struct FewerStars: Projection {
    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(Stars.id, version: 1, handles: [.reactionAdded], tables: Stars.counts)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        let count = try rows.row(of: Stars.counts, at: group)?.count ?? 0
        try rows.put(StarCount(count: count + 1), in: Stars.counts, at: group)
    }
}

private struct Newcomer: Projection {
    static let table = ProjectionTable<StarCount, Position>("com.example.newcomer", "rows", key: "position")

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            "com.example.newcomer", version: 1, handles: [.reactionAdded], reads: [Stars.id], tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        let count = try rows.row(of: Stars.counts, at: group)?.count ?? 0
        try rows.put(StarCount(count: count), in: Self.table, at: event.position)
    }
}
