#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import MessageStoreModel
import MessageStoreShipping
import MessageStoreWorkload
import Testing

@Suite("Shipping: kills of writer, restorer and the place's server", .serialized, .timeLimit(.minutes(120)))
struct ShipKillTests {
    @Test(
        "everything that was acknowledged as shipped is restored, equal, and no erased word stays in the place",
        arguments: ShippingPlace.Kind.possible)
    func kills(_ kind: ShippingPlace.Kind) async throws {
        let kills = Battery.tries(plain: TestSize.of(plain: 6, full: 10), short: 30, long: 200)
        let directory = try TemporaryDirectory()
        let place = try ShippingPlace(kind, in: directory.path)
        let (shipped, restored, restarts) = try kill(kills, place, directory.path)
        let partial = directory.path + "/partial"
        let restorer = LogRestorer(from: place.carrier, key: TemporaryStore.key)
        #expect(try await restorer.restore(to: partial).rawValue >= shipped)

        let store = try await MessageStore.open(directory.path + "/store", account: "me", configuration: .ofTests)
        try await LogShipper(of: store, to: place.carrier).ship()
        let path = directory.path + "/restored"
        #expect(try await restorer.restore(to: path) == store.lastPosition())
        let copy = try await MessageStore.open(path, account: "me", configuration: .ofTests)
        #expect(try copy.digests() == store.digests())
        let events = try await store.events(limit: .max)
        #expect(try await copy.events(limit: .max) == events)
        let redacted = Set(events.filter(\.isRedacted).map(\.position.rawValue))
        let words = try place.words()
        #expect(!redacted.isEmpty && words.isEmpty == (TemporaryStore.key != nil))
        #expect(words.intersection(redacted).sorted() == [])
        try await store.close()
        try await copy.close()
        Battery.report(
            "kills of a writer that ships, of a restorer and of the server of \(kind)",
            [
                ("tries", kills), ("of the server", restarts), ("events", events.count), ("restored", restored),
                ("words left in files", place.wordsInFiles().intersection(redacted).count),
            ])
    }

    /// Kills one after the other; answers the last position that was acknowledged as shipped.
    private func kill(
        _ kills: Int, _ place: ShippingPlace, _ directory: String
    ) throws -> (shipped: UInt64, restored: Int, restarts: Int) {
        var random = SplitMix64(seed: Battery.seed)
        var writer = try ChildProcess(["ship", directory, "1", place.argument])
        var restorer = try ChildProcess(["restore-shipped", directory, "1", place.argument])
        var (shipped, restored, restarts) = (UInt64(0), 0, 0)
        for number in 2...UInt64(kills) + 1 {
            usleep(UInt32(random.nextIndex(150_001)))
            switch random.nextUnit() {
            case ..<0.3 where place.restart != nil:
                try place.restart?()
                restarts += 1
            case ..<0.5:
                try restorer.kill()
                restored += restorer.acknowledged.count - 1
                #expect(restorer.acknowledged.dropFirst().allSatisfy { $0 > 0 })
                restorer = try ChildProcess(["restore-shipped", directory, "\(number)", place.argument])
            default:
                try writer.kill()
                shipped = max(shipped, writer.acknowledged.max() ?? 0)
                writer = try ChildProcess(["ship", directory, "\(number)", place.argument])
            }
        }
        try writer.kill()
        try restorer.kill()
        restored += restorer.acknowledged.count - 1
        return (max(shipped, writer.acknowledged.max() ?? 0), restored, restarts)
    }
}
#endif
