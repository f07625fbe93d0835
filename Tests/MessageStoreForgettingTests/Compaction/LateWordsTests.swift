import Foundation
import MessageStoreLMDB
import MessageStoreSharing
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreLog
@testable import MessageStoreTestSupport

@Suite("I16, E27: words that come after the recall, deletion or erasure of their message", .timeLimit(.minutes(30)))
struct LateWordsTests {
    private static let secret = SecretFiles.secret
    private let place: TemporaryStore
    private var inbox: Inbox {
        Inbox(at: place.directory + "/inbox", account: TemporaryStore.account, key: TemporaryStore.key)
    }

    init() throws { place = try TemporaryStore() }

    private func open(
        _ policy: MessageStore.RemovedContentPolicy = .erase,
        _ change: (inout MessageStore.Configuration) -> Void = { _ in }
    ) throws -> MessageStore {
        try place.open {
            $0.privacy.removedContent = policy
            $0.automaticCompaction = nil
            $0.clock = ManualClock()
            $0.processes.inboxPath = inbox.path
            change(&$0)
        }
    }

    private func words(_ store: MessageStore) throws -> Int {
        try store.events().count { "\($0.event)".contains(Self.secret) }
    }

    /// Nothing has the words, and nothing else is missing.
    private func finish(_ store: MessageStore, _ comment: Comment? = nil) throws {
        #expect(try words(store) == 0, comment)
        #expect(try store.read { "\(try $0.timeline(of: group))" }.contains(Self.secret) == false, comment)
        let digests = try store.digests()
        try store.rebuild()
        #expect(try store.digests() == digests, comment)
        #expect(try store.compact().isErasureComplete && store.isConsistent(), comment)
        try store.close()
        #expect(try SecretFiles.count(in: place.path) == 0, comment)
    }

    private static let message = received("a", at: 10, text: secret)
    private static let hiding: [Event] = [
        recalled("a"), deleted("a"), cleared(order(20, "x")), cleared(nil), conversationDeleted(alsoMessages: true),
        Event(HistoryCleared(upTo: order(20, "x"), erases: true, isRetention: true), in: group),
        Event(MessageSnapshotReceived(.server("a"), isRecalled: true), in: group),
        Event(MessagesDeleted([.server("a")], erases: true), in: group),
    ]
    private static let late: [Event] = [
        modified("a", secret, at: 11),
        Event(MessageFiltered(.server("a"), verdict: .replace(.text(secret))), in: group),
        Event(AttachmentStateChanged(.server("a"), state: .available, localPath: secret), in: group),
        snapshot,
    ]
    private static var snapshot: Event {
        var snapshot = MessageSnapshotReceived(.server("a"))
        (snapshot.content, snapshot.modifiedTime) = (.text(secret), ms(12))
        return Event(snapshot, in: group)
    }

    @Test("a message, and what is said of it, has no words, in every order and commit", arguments: hiding)
    func orders(event: Event) throws {
        // What is cleared is below the newest message.
        let base = received("x", at: 20, text: "kept")
        for isOneCommit in [false, true] {
            for comesFirst in [false, true] {
                let place = try TemporaryStore()
                let store = try place.open {
                    $0.privacy.removedContent = .erase
                    $0.automaticCompaction = nil
                }
                try store.record(base)
                var events: [Event] = comesFirst ? [Self.message] : []
                events.append(event)
                if !comesFirst { events.append(Self.message) }
                events.append(contentsOf: Self.late)
                events.append(contentsOf: Self.late.reversed())
                if isOneCommit { try store.record(events) } else { for event in events { try store.record(event) } }
                #expect(try words(store) == 0, "\(isOneCommit) \(comesFirst)")
                #expect(try store.read { try $0.message(.server("a"), in: group) }?.content.text == nil)
                #expect(try store.compact().isErasureComplete && store.isConsistent())
                try store.close()
                #expect(try SecretFiles.count(in: place.path) == 0, "\(isOneCommit) \(comesFirst)")
            }
        }
    }

    @Test("edits that were there before their message's recall or clearing lose their words with it")
    func earlierEdits() throws {
        let store = try open()
        try store.record([received("x", at: 20), modified("a", Self.secret, at: 11)])
        try store.record(modified("b", Self.secret, at: 12))
        try store.record(recalled("a"))
        #expect(try words(store) == 1)
        try store.record(cleared(order(20, "x")))
        // Nobody knew yet where it belongs.
        #expect(try words(store) == 1)
        try store.record(received("b", at: 11, text: Self.secret))
        try finish(store)
    }

    @Test("every way into the store: packages, the inbox, a page of history, a stream")
    func ways() async throws {
        let late = MessageReceived(serverID: "a", sender: "bob", sentTime: ms(10), content: .text(Self.secret))
        let store = try open { $0.hooks.historyProvider = FakeHistoryProvider([late]) }
        try await store.record([received("x", at: 20)] + ["a", "b", "c"].map { recalled(ServerMessageID($0)) })
        _ = try await store.history(of: group, .before(.message(.server("x"))))
        try await store.ingest(
            OfflinePackage(
                index: 0, events: [received("b", at: 11, text: Self.secret, origin: .offline)], hasMore: false))
        try inbox.handOver([received("c", at: 12, text: Self.secret)])
        try await store.drainInbox()
        #expect(try await store.events().filter(\.isRedacted).count == 3)
        try finish(store)
    }

    @Test("an own message that a server accepts under a recalled id, or at a cleared place, loses its words")
    func answers() throws {
        let store = try open()
        try store.record([received("x", at: 20), recalled("s1"), cleared(order(20, "x"))])
        let queued = try store.record([queued(Self.secret, token: "t1"), queued(Self.secret, token: "t2")]).positions
        #expect(try words(store) == 2)
        let locals = queued.map { LocalMessageID($0?.rawValue ?? 0) }
        try store.record(.sent(locals[0], as: "s1", in: group, at: ms(30)))
        #expect(try words(store) == 1)
        try store.record(.sent(locals[1], as: "s2", in: group, at: ms(15)))
        try finish(store)
    }

    /// The ways by which a message whose answer has no time gets a place below what was cleared.
    enum Place: CaseIterable {
        case slowClock, echo, echoOfOneCommit, snapshot, snapshotOfOneCommit, laterSnapshot, laterEcho, laterOfOneCommit
        case echoWithoutTime, echoAfterSnapshot, lastSnapshot
    }

    @Test(
        "an own message that a server accepts without a time loses its words at a cleared place",
        arguments: Place.allCases)
    func answersWithoutTime(way: Place) throws {
        let clock = ManualTime(startingAt: ms(1000))
        let store = try open { $0.now = { clock.now } }
        try store.record(received("x", at: 900))
        if way == .slowClock || way == .echoWithoutTime { clock.set(ms(500)) }
        let local = LocalMessageID(try store.record(queued(Self.secret, token: "t1")).lastPosition.rawValue)
        try store.record(cleared(order(900, "x")))
        #expect(try words(store) == 1)
        func snapshot(_ time: Int64) -> Event {
            Event(MessageSnapshotReceived(.server("s1"), sentTime: ms(time)), in: group)
        }
        func echo(_ time: Int64) -> Event { received("s1", at: time, from: "me", text: "echo") }
        let sent = Event.sent(local, as: "s1", in: group)
        switch way {
        case .slowClock: try store.record(sent)
        case .echo: for event in [echo(500), sent] { try store.record(event) }
        case .echoOfOneCommit: try store.record([echo(500), sent])
        case .snapshot: for event in [snapshot(500), sent] { try store.record(event) }
        case .snapshotOfOneCommit: try store.record([snapshot(500), sent])
        case .laterOfOneCommit: try store.record([sent, echo(500)])
        case .laterSnapshot: for event in [sent, snapshot(500)] { try store.record(event) }
        case .laterEcho: for event in [sent, echo(500)] { try store.record(event) }
        case .echoWithoutTime: for event in [echo(0), sent] { try store.record(event) }
        case .echoAfterSnapshot: try store.record([snapshot(1500), echo(500), sent])
        case .lastSnapshot: try store.record([snapshot(1500), snapshot(500), sent])
        }
        #expect(try store.read { try $0.timeline(of: group).elements.isEmpty })
        try finish(store)
    }

    @Test("a snapshot at the time of what was cleared leaves a message that is shown its words")
    func snapshotAtFloor() throws {
        let store = try open()
        try store.record([received("a", at: 900), cleared(order(900, "a"))])
        var snapshot = MessageSnapshotReceived(.server("b"), sentTime: ms(900))
        (snapshot.content, snapshot.modifiedTime) = (.text("edited"), ms(950))
        try store.record(Event(snapshot, in: group))
        try store.record(received("b", at: 900, text: "first"))
        #expect(try store.read { try $0.message(.server("b"), in: group)?.text } == "edited")
        #expect(try store.events().filter(\.isRedacted).map(\.position) == [Position(1)])
    }

    @Test("an edit of a message whose record was cut off, or whose words were erased, has none")
    func erased() throws {
        let store = try open()
        try store.record((1...9).map { received("m\($0)", at: Int64($0)) })
        try store.record(Event(HistoryCleared(upTo: order(5, "m5"), erases: true), in: group))
        try store.compact()
        try store.record([modified("m1", Self.secret, at: 11), modified("m9", "kept", at: 12)])
        try store.redact(Position(8))
        try store.record(modified("m8", Self.secret, at: 13))
        #expect(try store.read { try $0.message(.server("m9"), in: group)?.text } == "kept")
        try finish(store)
    }

    @Test("who listens hears nothing of a message that is recalled before it comes", arguments: [true, false])
    func deliveries(isOneCommit: Bool) async throws {
        let store = try open()
        var deliveries = store.deliveries().makeAsyncIterator()
        let events = [recalled("a"), Self.message, received("b", at: 11, text: "kept")]
        if isOneCommit { try await store.record(events) } else { for event in events { try await store.record(event) } }
        let first = try await #require(deliveries.next())
        #expect("\(first)".contains("kept"))
        try await store.close()
    }

    @Test("where the policy hides, the words stay in the log, and nothing else differs")
    func hidden() throws {
        let store = try open(.hide)
        try store.record(recalled("a"))
        try store.record([Self.message, modified("a", Self.secret, at: 11)])
        #expect(try words(store) == 2)
        #expect(try store.read { try $0.message(.server("a"), in: group)?.text } == nil)
        try store.close()
    }

    @Test("d27: an acknowledgement that erases leaves the gap that any other leaves", arguments: [false, true])
    func gap(erases: Bool) throws {
        let store = try open(erases ? .erase : .hide)
        let live = received("a", at: 10)
        try store.record([Event(SessionStateChanged(.connected)), Event(OfflineSyncStarted())])
        try store.record([Event(OfflineSyncCompleted()), live, recalled("own")])
        let last = try store.record(queued("")).lastPosition.rawValue
        try store.record([Event(SessionStateChanged(.connected)), Event(OfflineSyncStarted())])
        try store.record(sent(LocalMessageID(last), "own", at: 20))
        #expect(try store.page(limit: 2).elements.count == 2)
        #expect(try store.page(limit: 2).isContiguous == false)
        try store.close()
    }

    @Test(
        "an own message of a package that comes below a clearing is erased after the delay", arguments: [false, true])
    func package(isPackage: Bool) throws {
        let store = try open(.erase(after: .seconds(3600)))
        try store.record([Event(OfflineSyncStarted()), received("b", at: 20), cleared(order(20, "b"))])
        try store.record(modified("a", Self.secret, at: 11))
        let own = received("a", at: 10, from: "me", text: Self.secret, origin: .otherDevice)
        if isPackage {
            try store.ingest(OfflinePackage(index: 0, events: [own], hasMore: true))
        } else {
            #expect(try store.record([own]).erasure == .waiting)
        }
        #expect(try words(store) == 1)
        try store.close()
    }
}
