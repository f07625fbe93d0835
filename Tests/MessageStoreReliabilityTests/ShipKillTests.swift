#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import MessageStoreShipping
import MessageStoreWorkload
import Testing

@Suite("Shipping: kills of writer and restorer", .serialized, .timeLimit(.minutes(120)))
struct ShipKillTests {
    @Test("what was acknowledged as shipped is restored, equal, and no erased word stays in the place")
    func kills() async throws {
        let kills = Battery.tries(plain: 10, short: 30, long: 200)
        let directory = try TemporaryDirectory()
        let place = directory.path + "/place"
        var random = SplitMix64(seed: Battery.seed)
        var writer = try ChildProcess(["ship", directory.path, "1"])
        var restorer = try ChildProcess(["restore-shipped", directory.path, "1"])
        var (shipped, restored) = (UInt64(0), 0)
        for number in 2...UInt64(kills) + 1 {
            usleep(UInt32(random.nextIndex(150_001)))
            if random.chance(0.7) {
                try writer.kill()
                shipped = max(shipped, writer.acknowledged.max() ?? 0)
                writer = try ChildProcess(["ship", directory.path, "\(number)"])
            } else {
                try restorer.kill()
                restored += restorer.acknowledged.count - 1
                #expect(restorer.acknowledged.dropFirst().allSatisfy { $0 > 0 })
                restorer = try ChildProcess(["restore-shipped", directory.path, "\(number)"])
            }
        }
        try writer.kill()
        try restorer.kill()
        shipped = max(shipped, writer.acknowledged.max() ?? 0)
        let carrier = try FolderCarrier(place)
        let partial = directory.path + "/partial"
        #expect(try await LogRestorer(from: carrier).restore(to: partial).rawValue >= shipped)

        let store = try await MessageStore.open(directory.path + "/store", account: "me")
        try await LogShipper(of: store, to: carrier).ship()
        let path = directory.path + "/restored"
        #expect(try await LogRestorer(from: carrier).restore(to: path) == store.lastPosition())
        let copy = try await MessageStore.open(path, account: "me")
        #expect(try copy.digests() == store.digests())
        let events = try await store.events(limit: .max)
        #expect(try await copy.events(limit: .max) == events)
        try Self.checkIsErased(events, in: place)
        try await store.close()
        try await copy.close()
        Battery.report(
            "kills of a writer that ships and of a restorer",
            [("tries", kills), ("events", events.count), ("restored", restored)])
    }

    private static func checkIsErased(_ events: [RecordedEvent], in place: String) throws {
        let names = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
        let objects = names.filter { !$0.contains(".tmp") }.compactMap {
            FileManager.default.contents(atPath: place + "/" + $0)
        }
        let redacted = events.filter(\.isRedacted)
        #expect(!redacted.isEmpty && objects.count > 3)
        let left = redacted.filter { event in
            let word = Data("secret-\(event.position)-".utf8)
            return objects.contains { $0.range(of: word) != nil }
        }
        #expect(left.map(\.position) == [])
    }
}
#endif
