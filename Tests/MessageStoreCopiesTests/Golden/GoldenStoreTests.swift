import Foundation
import MessageStore
import MessageStoreTestKit
import Testing
@testable import MessageStoreTestSupport

/// Stores that released formats wrote, kept as they are: `Golden/format-N`.
///
/// They were made by this test with `MESSAGESTORE_RECORD_GOLDEN` set; a recorded one is never recorded again.
@Suite("Golden stores")
struct GoldenStoreTests {
    static let formats = TemporaryStore.canSeal ? [1, 2, 4] : [1, 2]

    /// As a store of a format is opened: format 4 is sealed.
    private static func configuration(ofFormat format: Int) -> MessageStore.Configuration {
        var configuration = MessageStore.Configuration()
        configuration.privacy.key = format == 4 ? KeySource { [UInt8](repeating: 9, count: 32) } : nil
        return configuration
    }

    /// Events in each.
    static let events = 400

    @Test("I13: a log of a released format opens, and its views are what its events mean", arguments: formats)
    func opens(format: Int) throws {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "format-\(format)")
        if ProcessInfo.processInfo.environment["MESSAGESTORE_RECORD_GOLDEN"] != nil {
            try Self.record(at: golden, format)
        }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("golden-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: golden, to: directory)
        defer { try? FileManager.default.removeItem(at: directory) }

        let store = try MessageStore.open(
            directory.path, account: RandomEvents.account, configuration: Self.configuration(ofFormat: format))
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
        let position = try #require(try store.record(Event(ConversationPinned(), in: .group("g1"))).position)
        // In the random events of that one a session was open.
        #expect(position.rawValue == model.lastPosition.rawValue + (format == 4 ? 2 : 1))
        try store.close()
    }

    @Test("I13, I14, I16: a log of format 3 opens without what it has forgotten, and knows it when it comes again")
    func forgetful() throws {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("format-3")
        if ProcessInfo.processInfo.environment["MESSAGESTORE_RECORD_GOLDEN"] != nil {
            try Self.recordForgetful(at: golden)
        }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("golden-\(UUID().uuidString)")
        try FileManager.default.copyItem(at: golden, to: directory)
        defer { try? FileManager.default.removeItem(at: directory) }

        func open(at now: Int64) throws -> MessageStore {
            var configuration = Self.forgetfulConfiguration
            configuration.now = { ms(now) }
            return try MessageStore.open(
                directory.path, account: TemporaryStore.account, configuration: configuration)
        }
        var store = try open(at: 1_000)
        let statistics = try store.statistics()
        // Of the messages up to the twentieth the last stays; the clearing is event 62.
        #expect(statistics.cutEvents == 19 && statistics.replayStart == Position(62))
        #expect(try store.texts(of: group) == (21...30).map { "g\($0)" } + ["late"])
        #expect(try store.page().elements.first?.sender.rawValue.hasPrefix("erased:") == true)
        #expect(try store.record(Self.messages).duplicates == 60)
        let events = try store.events()
        #expect(events.count == 60 + 4 - 19 && events.contains { "\($0.event.payload)".contains("h3") })
        #expect(try store.verify().isConsistent)
        #expect(throws: StoreError.self) { _ = try store.digests(at: Position(30)) }
        try store.close()

        // A day later the recalled message is erased.
        store = try open(at: 86_500_000)
        #expect(try store.message("h3", in: .group("h"))?.isRecalled == true)
        #expect(try store.events().filter(\.isRedacted).count == 2)
        try store.close()
    }

    private static let messages = (1...30).flatMap { number in
        [
            received("g\(number)", at: Int64(number)),
            received("h\(number)", at: Int64(number), from: "eve", in: .group("h"), eventID: EventID("e\(number)")),
        ]
    }

    private static var forgetfulConfiguration: MessageStore.Configuration {
        var configuration = MessageStore.Configuration()
        configuration.now = { ms(1_000) }
        configuration.privacy.removedContent = .erase(after: .seconds(86_400))
        configuration.automaticCompaction = nil
        return configuration
    }

    /// A store with gaps, an erased id, stores before it, an erasure that waits, and events in the journal.
    private static func recordForgetful(at golden: URL) throws {
        guard !FileManager.default.fileExists(atPath: golden.path) else { return }
        let place = try TemporaryStore()
        let (first, copy, path) = (place.path, place.directory + "/copy", place.directory + "/restored")
        let account = TemporaryStore.account
        let old = try MessageStore.open(first, account: account, configuration: forgetfulConfiguration)
        try old.record(messages)
        try old.record(recalled("h3", in: .group("h")), Event(HistoryCleared(upTo: order(20), erases: true), in: group))
        try old.erase(.users(["bob"]), alsoIDs: true)
        try old.compact()
        try old.backup(to: copy)
        try old.close()
        try MessageStore.restoreBackup(from: copy, to: path)
        let store = try MessageStore.open(path, account: account, configuration: forgetfulConfiguration)
        try store.record([received("late", at: 50, from: "eve")])
        try copyFiles(of: path, to: golden)
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

    private static func record(at golden: URL, _ format: Int) throws {
        guard !FileManager.default.fileExists(atPath: golden.path) else { return }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("golden-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        var configuration = configuration(ofFormat: format)
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
        try copyFiles(of: directory.path, to: golden)
        try store.close()
    }

    /// Copies a log as a process leaves it that is killed now. The views are a cache and no part of the format's promise.
    private static func copyFiles(of path: String, to golden: URL) throws {
        try FileManager.default.createDirectory(
            at: golden.appendingPathComponent("log"), withIntermediateDirectories: true)
        for name in ["identity.json", "log/data.mdb", "log/keys.json", "log/journal-0", "log/journal-1"] {
            let file = URL(fileURLWithPath: path + "/" + name)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            try FileManager.default.copyItem(at: file, to: golden.appendingPathComponent(name))
        }
    }
}
