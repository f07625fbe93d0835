#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import MessageStoreWorkload
import Testing

@Suite("Inbox: kills of an app and two helpers", .serialized, .timeLimit(.minutes(120)))
struct InboxKillTests {
    private static let account: UserID = "me"

    /// A helper that is started again where it was killed. What it did not acknowledge may have been handed over, and is
    /// not handed over once more.
    private final class Helper {
        let number: UInt64
        let last: UInt64
        private let directory: String
        private var child: ChildProcess?
        private var next: UInt64 = 1
        private(set) var acknowledged: Set<UInt64> = []

        init(_ number: UInt64, in directory: String, last: UInt64) {
            (self.number, self.directory, self.last) = (number, directory, last)
        }

        func start() throws {
            guard next <= last else { return child = nil }
            child = try ChildProcess(["hand-over", directory, "\(number)", "\(next)-\(last)"])
        }

        func kill() throws {
            guard let child else { return }
            try? child.kill()
            acknowledged.formUnion(child.acknowledged)
            next = max(next, (child.acknowledged.max() ?? 0) + 2)
            try start()
        }

        func finish() throws {
            guard let child else { return }
            #expect(try child.wait(limit: 600) == .exited(0))
            acknowledged.formUnion(child.acknowledged)
        }
    }

    @Test("I3, I4: what a helper was told is handed over is recorded once, whichever process is killed")
    func exactlyOnce() throws {
        let kills = Battery.tries(plain: 8, short: 30, long: 200)
        let events = UInt64(Battery.tries(plain: 300, short: 1100, long: 5500))
        let directory = try TemporaryDirectory()
        var random = SplitMix64(seed: Battery.seed)
        var app = try ChildProcess(["record-inbox", directory.path])
        let helpers = [Helper(1, in: directory.path, last: events), Helper(2, in: directory.path, last: events)]
        for helper in helpers { try helper.start() }
        for _ in 0..<kills {
            usleep(UInt32(random.nextIndex(40_001)))
            switch random.nextIndex(3) {
            case 0:
                try app.kill()
                app = try ChildProcess(["record-inbox", directory.path], untilReady: random.chance(0.7))
            case let index: try helpers[index - 1].kill()
            }
        }
        for helper in helpers { try helper.finish() }
        try app.kill()
        var configuration = MessageStore.Configuration.ofTests
        configuration.processes.inboxPath = directory.path + "/inbox"
        let store = try MessageStore.open(
            directory.path + "/store", account: Self.account, configuration: configuration)
        try store.drainInbox()
        try Self.check(store, helpers)
        try store.close()
        Battery.report("kills of an app and two helpers", [("tries", kills), ("events", 2 * Int(events))])
    }

    private static func check(_ store: MessageStore, _ helpers: [Helper]) throws {
        var counts: [String: Int] = [:]
        for event in try store.events(limit: .max) {
            if let message = event.event.payload as? MessageReceived {
                counts[message.serverID.rawValue, default: 0] += 1
            } else if let draft = event.event.payload as? ConversationDraftChanged, let text = draft.text {
                counts[text, default: 0] += 1
            }
        }
        #expect(counts.values.allSatisfy { $0 == 1 })
        var missing = 0
        for helper in helpers {
            for number in helper.acknowledged where number > 0 && counts["h\(helper.number)-\(number)"] == nil {
                missing += 1
            }
            #expect(helper.acknowledged.count > 1)
        }
        #expect(missing == 0)
        #expect(try store.verify().isConsistent)
        let inbox = try store.statistics().inbox
        #expect(inbox?.waitingFiles == 0 && inbox?.rejectedFiles == 0)
    }
}
#endif
