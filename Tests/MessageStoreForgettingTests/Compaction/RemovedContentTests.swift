import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreLog
@testable import MessageStoreTestSupport

@Suite("I16, E27, E28: what becomes of content that is hidden", .timeLimit(.minutes(30)))
struct RemovedContentTests {
    private static let secret = SecretFiles.secret
    private static let day = Duration.seconds(86_400)
    private let place: TemporaryStore
    private let clock = ManualClock()
    private let start: Int64

    init() throws {
        place = try TemporaryStore()
        start = place.time.now.milliseconds
    }

    private func open(
        _ policy: MessageStore.RemovedContentPolicy, _ path: String? = nil
    ) throws -> MessageStore {
        var configuration = place.configuration
        (configuration.clock, configuration.privacy.removedContent) = (clock, policy)
        configuration.automaticCompaction = nil
        return try MessageStore.open(
            path ?? place.path, account: TemporaryStore.account, configuration: configuration)
    }

    /// The wall clock goes on with the other one.
    private func pass(_ duration: Duration) {
        place.time.move(byMilliseconds: Int64(duration / .milliseconds(1)))
        clock.advance(by: duration)
    }

    private func fill(_ store: MessageStore) throws {
        try store.record(
            received("a", at: 10, text: Self.secret, mentions: ["me"]), modified("a", Self.secret + " edit", at: 11),
            Event(
                AttachmentStateChanged(.server("a"), state: .available, localPath: Self.secret), in: group),
            Event(MessagePinned(.server("a"), by: "bob"), in: group),
            received("b", at: 20, text: "kept"))
    }

    private func words(_ store: MessageStore) throws -> Int {
        try store.events().count { "\($0.event)".contains(Self.secret) }
    }

    private static let hiding: [Event] = [
        recalled("a"), deleted("a"), cleared(order(10, "a")), conversationDeleted(alsoMessages: true),
        Event(MessageSnapshotReceived(.server("a"), isRecalled: true), in: group),
    ]

    /// Everything that answers with contents.
    private func answers(_ store: MessageStore) throws -> String {
        try store.read { views in
            let message = MessageReference.server("a")
            return try """
            \(views.timeline(of: group, limit: 9)) \(views.message(message, in: group) as Any)
            \(views.message(LocalMessageID(1)) as Any) \(views.conversations()) \(views.firstUnread(in: group) as Any)
            \(views.mentions(in: group)) \(views.unreadMentions(in: group)) \(views.media(in: group))
            \(views.pinnedMessages(in: group)) \(views.edits(of: message, in: group)) \(views.replies(to: "a", in: group))
            """
        }
    }

    @Test("hidden content is in no answer, and the log keeps it, unless the policy erases it", arguments: hiding)
    func atOnce(event: Event) throws {
        for policy in [MessageStore.RemovedContentPolicy.hide, .erase] {
            let path = place.directory + "/\(policy == .hide)"
            let store = try open(policy, path)
            try fill(store)
            #expect(try answers(store).contains(Self.secret))
            let before = try store.events().map(\.event.type)
            try store.record(event)
            #expect(try !answers(store).contains(Self.secret))
            #expect(try words(store) == (policy == .hide ? 3 : 0))
            #expect(try store.events().map(\.event.type) == before + [event.type])
            let digests = try store.digests()
            try store.rebuild()
            #expect(try store.digests() == digests)
            #expect(try store.record(received("a", at: 10, text: Self.secret)).position == Position(1))
            #expect(try store.compact().isErasureComplete)
            #expect(try (SecretFiles.count(in: path) > 0) == (policy == .hide && TemporaryStore.key == nil))
            try store.close()
        }
    }

    @Test("only what was recorded with the policy is erased, and a conversation that is only hidden keeps its messages")
    func recordedBefore() throws {
        var store = try open(.hide)
        try fill(store)
        try store.record(recalled("a"))
        try store.close()
        store = try open(.erase)
        try store.record(conversationDeleted(), recalled("b"))
        #expect(try words(store) == 3 && store.events().filter(\.isRedacted).count == 1)
        try store.close()
    }

    @Test("content waits for its delay, by a clock that goes back and forth, and goes then by itself")
    func delayed() async throws {
        let store = try open(.erase(after: Self.day))
        try wait(store)
        store.confirmClock()
        // A look comes each minute after the one before, which may be late.
        while try words(store) > 0 {
            pass(.seconds(2))
            await MessageStore.letOthersRun()
        }
        try close(store)
    }

    private func wait(_ store: MessageStore) throws {
        try fill(store)
        try store.record(recalled("a"))
        place.time.move(byMilliseconds: -3_600_000)
        try store.record(deleted("b"))
        place.time.move(byMilliseconds: 3_600_000)
        pass(.seconds(86_340))
        try store.compact()
        #expect(try words(store) == 3 && store.statistics().owedSince == nil)
        #expect(
            try store.events().filter(\.isRedacted).map(\.position) == [Position(5)],
            "by the clock that was wrong its day is over")
        place.time.move(byMilliseconds: 86_400_001)
        pass(.seconds(120))
        try store.compact()
        #expect(try words(store) == 3, "the clock jumped")
    }

    private func close(_ store: MessageStore) throws {
        #expect(try store.compact().isErasureComplete && store.isConsistent())
        #expect(try SecretFiles.count(in: place.path) == 0)
        try store.close()
    }

    @Test("what waits is known after a crash, in a backup, a segment and a restored log, and follows their policy")
    func copies() throws {
        let paths = ["crash", "new", "restored"].map { place.directory + "/" + $0 }
        let store = try open(.erase(after: Self.day))
        try fill(store)
        try store.backup(to: place.directory + "/backup")
        try store.record(recalled("a"))
        try FileManager.default.copyItem(atPath: place.path, toPath: paths[0])
        try store.writeSegment(after: Position(5), to: place.directory + "/segment")
        let ledger = try store.erasureLedger()
        try MessageStore.restoreBackup(
            from: place.directory + "/backup", segments: [place.directory + "/segment"], to: paths[1], applying: ledger,
            key: TemporaryStore.key)
        let restored = try open(.hide, paths[2])
        try restored.appendRecorded(store.events())
        #expect(try restored.events() == store.events())
        try restored.close()
        try store.close()
        for (policy, seconds, count) in [
            (MessageStore.RemovedContentPolicy.erase(after: Self.day), 0, 3), (.hide, 90_000, 3),
            (.erase(after: Self.day * 2), 0, 3), (.erase(after: Self.day), 0, 0),
        ] as [(MessageStore.RemovedContentPolicy, Int64, Int)] {
            pass(.seconds(seconds))
            for path in [place.path] + paths {
                let store = try open(policy, path)
                #expect(try words(store) == count, "\(path) \(policy)")
                #expect(try store.isConsistent())
                try store.close()
            }
        }
    }
}
