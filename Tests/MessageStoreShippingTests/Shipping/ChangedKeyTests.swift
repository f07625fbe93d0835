import Foundation
import MessageStoreShipping
import MessageStoreTestCarriers
import MessageStoreTestKit
import Synchronization
import Testing

@Suite("Shipping a log whose key was changed", .enabled(if: TemporaryStore.canSeal), .timeLimit(.minutes(30)))
struct ChangedKeyTests {
    /// The keys of a store before and after a change, as bytes that they repeat; nil for a clear store.
    struct Change: CustomTestStringConvertible {
        let (before, after): (UInt8?, UInt8?)
        /// Whether the files are rewritten, or their keys alone are sealed again.
        var rewrites = true
        var testDescription: String {
            "\(before.map(String.init) ?? "clear") to \(after.map(String.init) ?? "clear"), rewritten: \(rewrites)"
        }

        static let all = [
            Change(before: nil, after: 1), Change(before: 1, after: nil), Change(before: 1, after: 2),
            Change(before: 1, after: 2, rewrites: false),
        ]
    }

    private static let word = "unmistakable"
    private let place: TemporaryStore
    private let carrier = MemoryCarrier(objectSize: 16 << 10)

    init() throws { place = try TemporaryStore() }

    private static func key(_ byte: UInt8?) -> KeySource? {
        byte.map { byte in KeySource { [UInt8](repeating: byte, count: 32) } }
    }

    private func open(_ key: UInt8?, at path: String? = nil) throws -> MessageStore {
        var configuration = place.configuration
        configuration.privacy.key = Self.key(key)
        return try MessageStore.open(
            path ?? place.path, account: TemporaryStore.account, configuration: configuration)
    }

    private func record(_ numbers: ClosedRange<Int>, in store: MessageStore) throws {
        for number in numbers {
            try store.record(
                .received(
                    ServerMessageID("m\(number)"), from: "u1", in: .group("chat"),
                    at: Timestamp(milliseconds: Int64(number)), content: .text("\(Self.word) \(number)")))
        }
    }

    private func shipper(of store: MessageStore, takesOver: Bool = false) -> LogShipper {
        var options = LogShipper.Options()
        (options.segmentBytes, options.takesOver) = (2048, takesOver)
        return LogShipper(of: store, to: carrier, options: options)
    }

    /// Ships a base and segments, and changes the key of the closed store.
    private func prepare(_ change: Change) async throws {
        let store = try open(change.before)
        try record(1...40, in: store)
        try await shipper(of: store).ship()
        try record(41...80, in: store)
        try await shipper(of: store).ship()
        try await store.close()
        #expect(carrier.objects.keys.contains { $0.contains("/segments/") })
        if !change.rewrites, let old = Self.key(change.before), let new = Self.key(change.after) {
            try MessageStore.changeKey(ofStoreAt: place.path, from: old, to: new)
        } else {
            var configuration = place.configuration
            configuration.privacy.key = Self.key(change.before)
            try await MessageStore.compact(
                storeAt: place.path, sealedBy: Self.key(change.after), configuration: configuration)
        }
    }

    /// Restores the log, which must be under a key alone.
    private func check(_ change: Change, has count: Int, number: Int = 0) async throws {
        let path = place.directory + "/new-\(number)"
        let restorer = LogRestorer(from: carrier, key: Self.key(change.after))
        #expect(try await restorer.check() == Position(UInt64(count)))
        try await restorer.restore(to: path)
        let store = try open(change.after, at: path)
        let texts = try await store.read { views in
            try views.timeline(of: .group("chat"), limit: 1000).elements.map { $0.content.text ?? "" }
        }
        #expect(texts == (1...count).map { "\(Self.word) \($0)" })
        try await store.close()
        let old = LogRestorer(from: carrier, key: Self.key(change.before))
        await expectError([.keyRefused, .keyUnavailable]) { try await old.check() }
        await expectError([.keyRefused, .keyUnavailable]) { try await old.restore(to: path + "-old") }
        guard change.after != nil else { return }
        #expect(carrier.objects.filter { Data($0.value).range(of: Data(Self.word.utf8)) != nil }.keys.sorted() == [])
    }

    private func expectError(_ codes: [StoreError.Code], _ body: () async throws -> some Any) async {
        let error = await #expect(throws: StoreError.self) { _ = try await body() }
        #expect(error.map { codes.contains($0.code) } ?? false, "\(String(describing: error))")
    }

    @Test("a place under another key, or in clear, gets a base when the host asks for one", arguments: Change.all)
    func base(change: Change) async throws {
        try await prepare(change)
        let store = try open(change.after)
        try record(81...90, in: store)
        let before = carrier.objects
        await expectError([.keyRefused]) { try await shipper(of: store).ship() }
        #expect(carrier.objects == before)
        // No object that a restore fetches has the key that the store has now.
        let restorer = LogRestorer(from: carrier, key: Self.key(change.after))
        await expectError([.keyRefused, .keyUnavailable]) { try await restorer.check() }
        let report = try await shipper(of: store).ship(base: true)
        #expect(report.hasBase && report.position == Position(90) && report.damagedObject == nil)
        try await check(change, has: 90)
        try record(91...100, in: store)
        let next = try await shipper(of: store).ship()
        #expect(!next.hasBase && next.segments > 0)
        try await check(change, has: 100, number: 1)
        try await store.close()
    }

    @Test(
        "whatever fails meanwhile, no object under the other key stays", arguments: Change.all,
        [1, 2, 3, 4] as [UInt64])
    func failures(change: Change, seed: UInt64) async throws {
        try await prepare(change)
        let store = try open(change.after)
        try record(81...90, in: store)
        let before = carrier.objects
        carrier.fail(chance: 0.03, seed: seed)
        // The host asks for a base each other time, and each time by another shipper, as after a kill.
        for round in 1...200 where (try? await shipper(of: store).ship(base: round % 2 == 1)) != nil { break }
        carrier.fail(chance: 0, seed: seed)
        try await shipper(of: store).ship()
        try await check(change, has: 90)
        let left = before.filter { carrier.objects[$0.key] == $0.value }.keys
        #expect(left.filter { $0.contains("/segments/") || $0.contains("/bases/") || $0.hasSuffix("/page") }.isEmpty)
        try await store.close()
    }

    @Test("a store that was restored under another key takes the place over under the key of the place alone")
    func takesOver() async throws {
        let (path, backup) = (place.directory + "/other", place.directory + "/backup")
        let store = try open(1)
        try record(1...10, in: store)
        try await store.backup(to: backup)
        try MessageStore.restoreBackup(from: backup, to: path, key: Self.key(1), newKey: Self.key(2))
        try record(11...40, in: store)
        try await shipper(of: store).ship()
        try await store.close()
        let other = try open(2, at: path)
        try record(101...190, in: other)
        let before = carrier.objects
        await expectError([.keyRefused]) { try await shipper(of: other, takesOver: true).ship(base: true) }
        #expect(carrier.objects == before)
        try await other.close()
    }

    @Test("another copy of the files is noticed in clear objects by the first event that differs")
    func differentEvents() async throws {
        let (change, copy) = (Change.all[0], place.directory + "/copy")
        let store = try open(nil)
        try record(1...10, in: store)
        try await store.close()
        try FileManager.default.copyItem(atPath: place.path, toPath: copy)
        try await prepare(change)
        try await MessageStore.compact(
            storeAt: copy, sealedBy: Self.key(1), configuration: place.configuration)
        let other = try open(1, at: copy)
        try record(101...200, in: other)
        let before = carrier.objects
        await expectError([.lineageForked]) { try await shipper(of: other).ship(base: true) }
        #expect(carrier.objects == before)
        try await other.close()
    }

    @Test("a shipper notices a key that was changed while the store was suspended")
    func suspended() async throws {
        let byte = Mutex(UInt8(1))
        var configuration = place.configuration
        configuration.privacy.key = KeySource { [UInt8](repeating: byte.withLock { $0 }, count: 32) }
        let store = try await MessageStore.open(
            place.path, account: TemporaryStore.account, configuration: configuration)
        try record(1...10, in: store)
        let shipper = shipper(of: store)
        try await shipper.ship()
        try await store.suspend()
        let (old, new) = (try #require(Self.key(1)), try #require(Self.key(2)))
        try MessageStore.changeKey(ofStoreAt: place.path, from: old, to: new)
        byte.withLock { $0 = 2 }
        try await store.resume()
        try record(11...20, in: store)
        await expectError([.keyRefused]) { try await shipper.ship() }
        try await shipper.ship(base: true)
        try await check(Change(before: 1, after: 2), has: 20)
        try await store.close()
    }

    @Test("a place that has more than the store is refused, although nothing of it can be opened")
    func forked() async throws {
        let change = Change.all[2]
        let copy = place.directory + "/copy"
        let store = try open(change.before)
        try record(1...10, in: store)
        try await store.close()
        try FileManager.default.copyItem(atPath: place.path, toPath: copy)
        try await prepare(change)
        var configuration = place.configuration
        configuration.privacy.key = Self.key(change.before)
        try await MessageStore.compact(storeAt: copy, sealedBy: Self.key(change.after), configuration: configuration)
        let other = try open(change.after, at: copy)
        let before = carrier.objects
        await expectError([.lineageForked]) { try await shipper(of: other).ship(base: true) }
        #expect(carrier.objects == before)
        try await other.close()
    }
}
