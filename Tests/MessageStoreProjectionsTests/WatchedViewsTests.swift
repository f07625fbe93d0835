import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I7: views of a log that another process writes") struct WatchedViewsTests {
    private static let storeID = [UInt8](repeating: 1, count: 16)

    /// The conversations that the views show.
    private static func shown(_ views: WatchedViews) throws -> [String] {
        try Views(views.snapshot()).conversations().elements.map(\.key.id).sorted()
    }

    /// A frame whose flush failed is seen by whoever looks before it is overwritten; then it was never there.
    @Test("a frame that is taken back leaves no row behind, whatever comes in its place", arguments: [true, false])
    func takenBack(looksBetween: Bool) throws {
        let fixture = try AdmissionFixture()
        let log = fixture.log
        let path = log.environment.path
        try fixture.append([Self.received(in: "known")])
        let journal = Journal(in: path, storeID: Self.storeID, flushes: false)
        // Never staged, so that what follows gets the same positions and numbers.
        let lost = try fixture.admit([Self.received(in: "lost"), Self.received(in: "lost too")]).prepared
        #expect(journal.append([lost][...], after: Position(1)) == .written)
        let symbols = SymbolTable(log.storage, types: .builtIn)
        let follower = JournalReader(in: path, storeID: Self.storeID, symbols: symbols)
        log.journal.withLock { $0 = .following(follower) }
        let views = try WatchedViews(
            log: log, path: path + "/none", storeID: Self.storeID, configuration: .init(durability: .none))
        #expect(try Self.shown(views) == ["known", "lost", "lost too"])
        try journal.erase()
        if looksBetween { #expect(try Self.shown(views) == ["known"]) }
        log.journal.withLock { $0 = .none }
        // As many events, of fewer conversations: with as many, the old rows would show the new names.
        let kept = try fixture.admit(
            ["first", "second"].map { AdmissionFixture.received(ServerMessageID($0), in: "kept") }
        ).prepared
        #expect(journal.append([kept][...], after: Position(1)) == .written)
        log.journal.withLock { $0 = .following(follower) }
        #expect(try Self.shown(views) == ["kept", "known"])
    }

    private static func received(in id: String) -> Event {
        AdmissionFixture.received(ServerMessageID("in \(id)"), in: id)
    }
}
