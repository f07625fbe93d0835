#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import MessageStoreModel
import MessageStoreWorkload
import Testing

@Suite("Recovery after SIGKILL", .serialized, .timeLimit(.minutes(30)))
struct KillTests {
    static let killsPerStore = 10
    /// Kills in all; the environment variable `MESSAGESTORE_KILLS` changes it.
    static var kills: Int {
        let chosen = ProcessInfo.processInfo.environment["MESSAGESTORE_KILLS"].flatMap { Int($0) }
        return max(chosen ?? TestSize.of(plain: 20, full: 60), 1)
    }
    static var seeds: [UInt64] { (0..<UInt64((kills + killsPerStore - 1) / killsPerStore)).map { 100 + $0 } }

    @Test("I1, I2, I3, I6: what was acknowledged survives, whole batches only", arguments: seeds)
    func appends(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        var random = SplitMix64(seed: seed)
        var stream = CrashStream(seed: seed)
        var acknowledged: UInt64 = 0
        for round in 1...Self.killsPerStore {
            // Now and then the kill comes while the child opens, that is recovers from the last one.
            let waits = round == 1 || random.chance(0.8)
            let child = try ChildProcess(["append", path, "\(seed)"], untilReady: waits)
            usleep(UInt32(random.nextIndex(25_001)))
            try child.kill()
            acknowledged = max(acknowledged, child.acknowledged.max() ?? 0)
            let isWrittenOn = random.chance(0.5) || round == Self.killsPerStore
            do {
                let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
                try Self.check(reader, path, &stream, acknowledged, "seed \(seed), kill \(round)")
                try reader.close()
            } catch let error as StoreError where error.code == .erasureUnfinished {
                // The kill came within an erasure, which the next opening for writing finishes.
            }
            // Otherwise the next child has to recover by itself.
            guard isWrittenOn else { continue }
            let store = try MessageStore.open(
                path, account: RandomEvents.account, configuration: CrashStream.configuration)
            try Self.check(store, path, &stream, acknowledged, "seed \(seed), kill \(round), written on")
            if round == Self.killsPerStore {
                let report = try store.verify()
                #expect(report.isConsistent, "seed \(seed): \(report.differenceCount) rows differ")
            }
            try store.close()
        }
        Battery.report("kills", [("tries", Self.killsPerStore)])
    }

    /// Compares a store with its seed's stream; answers what was cut off and erased.
    @discardableResult
    static func check(
        _ store: MessageStore, _ path: String, _ stream: inout CrashStream, _ acknowledged: UInt64, _ what: Comment
    ) throws -> CrashHistory {
        let last = try store.lastPosition()
        #expect(last.rawValue >= acknowledged, what)
        let events = try store.events(limit: .max)
        let notes = FileManager.default.contents(atPath: CrashHistory.file(of: path)) ?? Data()
        let history = CrashHistory(events, last: last, notes: String(decoding: notes, as: UTF8.self))
        #expect(!history.isUndone, what)
        stream.advance(to: last, history)
        // A batch that is there in part would end elsewhere.
        try #require(stream.model.lastPosition == last, what)
        // A compaction may have cut some off.
        let cut = try store.statistics().cutEvents
        #expect(events.count + cut == Int(last.rawValue), what)
        // A reader comes before the opening that finishes what a clearing erases.
        for recorded in events
        where !recorded.isRedacted && !stream.model.redacted.contains(recorded.position.rawValue) {
            let expected = stream.model.log[Int(recorded.position.rawValue) - 1]
            guard AnyHashable(recorded.event.payload) != AnyHashable(expected.payload) else { continue }
            Issue.record("\(what): position \(recorded.position) holds another event than was recorded")
            break
        }
        for recorded in events
        where recorded.event.conversation != stream.model.log[Int(recorded.position.rawValue) - 1].conversation {
            Issue.record("\(what): position \(recorded.position) is of another conversation")
        }
        var model = stream.model
        if !history.notNoted.isEmpty { model.cutOff(history.notNoted, by: try store.statistics().replayStart) }
        try store.read { views in
            #expect(views.position == last, what)
            for key in RandomEvents.conversations {
                let timeline = try views.timeline(of: key, limit: 1000).elements.map(\.id)
                #expect(timeline == model.timeline(of: key).suffix(1000).map(\.id), what)
                #expect(try views.unread(of: key) == model.unread(of: key), what)
            }
            #expect(try views.outbox().map(\.id) == model.outbox().map(\.id), what)
        }
        return history
    }

    @Test(
        "I2, I6: packages of a stream that were acknowledged survive, whole and in order",
        arguments: 0..<max(kills / 20, 1))
    func streams(seed: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        var random = SplitMix64(seed: UInt64(seed))
        var packages = CrashPackages()
        var expected: [ServerMessageID?] = []
        for round in 1...5 {
            let child = try ChildProcess(["sync", path])
            usleep(UInt32(random.nextIndex(50_001)))
            try child.kill()
            let acknowledged = child.acknowledged.max() ?? 0
            let store = try MessageStore.open(path, account: RandomEvents.account, configuration: .ofTests)
            let last = try store.lastPosition()
            #expect(last.rawValue >= acknowledged, "seed \(seed), kill \(round)")
            while packages.lastPosition < last, let package = packages.next() {
                expected += package.events.map { ($0.payload as? MessageReceived)?.serverID } + [nil]
            }
            // A package that is there in part would end elsewhere.
            #expect(packages.lastPosition == last, "seed \(seed), kill \(round)")
            let found = try store.events(limit: .max).map { ($0.event.payload as? MessageReceived)?.serverID }
            #expect(found == expected, "seed \(seed), kill \(round)")
            #expect(try store.verify().isConsistent)
            try store.close()
        }
        Battery.report("kills of a streamed sync", [("tries", 5)])
    }

    @Test("A store that is killed while it is made is not there, or whole", arguments: 0..<max(kills / 4, 1))
    func creation(round: Int) throws {
        let directory = try TemporaryDirectory()
        var random = SplitMix64(seed: UInt64(round))
        let child = try ChildProcess(["create", directory.path + "/store", "0"])
        usleep(UInt32(random.nextIndex(25_001)))
        try child.kill()
        let begun = child.acknowledged.max() ?? 0
        let names = try directory.names()
        for number in 0...begun + 1 {
            let name = "store\(number)"
            let path = directory.path + "/" + name
            if names.contains(name) {
                let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
                #expect(try reader.lastPosition() >= Position(number < begun ? 1 : 0))
                try reader.close()
            }
            // What a crash left beside it is in nobody's way.
            let store = try MessageStore.open(path, account: RandomEvents.account, configuration: .ofTests)
            let before = try store.lastPosition()
            let position = try #require(try store.record(Event(OfflineSyncCompleted())).position)
            #expect(position.rawValue == before.rawValue + 1)
            #expect(try store.verify().isConsistent)
            try store.close()
        }
        Battery.report("kills while a store is made", [("tries", 1)])
    }
}
#endif
