import Foundation
import MessageStore
import Testing

/// Stores that released formats wrote, kept as they are: `Golden/format-N`.
///
/// They were made by this test with `MESSAGESTORE_RECORD_GOLDEN` set; a recorded one is never recorded again.
@Suite("Golden stores")
struct GoldenStoreTests {
    static let formats = [1, 2]
    /// Events in each.
    static let events = 400

    @Test("I13: a log of a released format opens, and its views are what its events mean", arguments: formats)
    func opens(format: Int) throws {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "format-\(format)")
        if ProcessInfo.processInfo.environment["MESSAGESTORE_RECORD_GOLDEN"] != nil { try Self.record(at: golden) }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("golden-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: golden, to: directory)
        defer { try? FileManager.default.removeItem(at: directory) }

        let store = try MessageStore.open(directory.path, account: RandomEvents.account)
        var model = StoreModel(account: RandomEvents.account, countsHistory: true)
        try store.forEachEvent { recorded in
            // A log of an earlier version may have recorded what this one would recognise.
            model.append(recorded.event, at: recorded.recordedTime)
            #expect(model.lastPosition == recorded.position)
            return true
        }
        #expect(try store.lastPosition().rawValue >= Self.events)
        try store.read { views in
            try compare(views, model, RandomEvents.conversations)
            try compareAccount(views, model)
        }
        #expect(try store.verify().isConsistent)
        // It can be written on.
        let position = try #require(try store.record(Event(ConversationPinned(), in: .group("g1"))))
        #expect(position.rawValue == model.lastPosition.rawValue + 1)
        try store.close()
    }

    /// The projections whose rows mean something else since version 0.1: they are made anew, the others are used.
    private static let changedSinceRelease: Set<ProjectionID> = [
        .messages, .timeline, .conversationList, .unreadCounters, .profiles, .teams, .messageDetails, .syncState,
    ]

    @Test("I3, I13: a store with the views that a released version wrote has the digests that it printed")
    func viewsOfRelease() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("golden-\(UUID().uuidString)")
        let files = FileManager.default
        try files.copyItem(at: here.appendingPathComponent("format-1"), to: directory)
        defer { try? files.removeItem(at: directory) }
        let views = directory.appendingPathComponent("views")
        try files.createDirectory(at: views, withIntermediateDirectories: true)
        let release = here.appendingPathComponent("views-0.1")
        try files.copyItem(
            at: release.appendingPathComponent("data.mdb"), to: views.appendingPathComponent("data.mdb"))
        struct Printed: Decodable { let digests: [String: String] }
        let printed = try JSONDecoder().decode(
            Printed.self, from: Data(contentsOf: release.appendingPathComponent("digests.json")))

        func unchanged(_ digests: some Sequence<(key: ProjectionID, value: UInt64)>) -> [String: UInt64] {
            Dictionary(
                uniqueKeysWithValues: digests.filter {
                    printed.digests[$0.key.rawValue] != nil && !Self.changedSinceRelease.contains($0.key)
                }.map { ($0.key.rawValue, $0.value) })
        }
        let expected = unchanged(
            printed.digests.map { (ProjectionID(rawValue: $0.key), UInt64($0.value, radix: 16) ?? 0) })
        #expect(expected.count == printed.digests.count - Self.changedSinceRelease.count)
        let reader = try MessageStore.openReadOnly(directory.path)
        #expect(try unchanged(reader.digests().map { ($0.key, $0.value) }) == expected)
        try reader.close()
        let written = try MessageStore.open(directory.path, account: RandomEvents.account)
        #expect(try unchanged(written.digests().map { ($0.key, $0.value) }) == expected)
        #expect(try written.verify().isConsistent)
        try written.close()
    }

    private static func record(at golden: URL) throws {
        guard !FileManager.default.fileExists(atPath: golden.path) else { return }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("golden-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        var configuration = MessageStore.Configuration()
        let clock = ManualTime()
        configuration.now = { clock.now }
        let store = try MessageStore.open(
            directory.path, account: RandomEvents.account, configuration: configuration)
        var stream = RandomEvents(seed: 2026)
        while try store.lastPosition().rawValue < events {
            let before = try store.lastPosition().rawValue
            clock.move(byMilliseconds: 1000)
            try store.record(stream.nextBatch(after: try store.lastPosition()))
            // What comes later stays in the journal.
            if before < events / 2, try store.lastPosition().rawValue >= events / 2 { try store.flush() }
        }
        // The views are a cache and no part of the format's promise.
        try FileManager.default.createDirectory(
            at: golden.appendingPathComponent("log"), withIntermediateDirectories: true)
        // As a process leaves it that is killed now.
        for name in ["identity.json", "log/data.mdb", "log/journal-0", "log/journal-1"] {
            let file = directory.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            try FileManager.default.copyItem(at: file, to: golden.appendingPathComponent(name))
        }
        try store.close()
    }
}
