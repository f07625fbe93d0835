import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("I16: erasure", .timeLimit(.minutes(30)))
struct ErasureTests {
    private static let secret = SecretFiles.secret

    /// Every event with words about a message, each with the secret, and harmless neighbours.
    private static func fill(_ store: MessageStore) throws {
        var words = MessageReceived(serverID: "a", sender: "bob", sentTime: ms(10), content: .text(secret + " a"))
        words.content.data = Array(secret.utf8)
        words.content.attributes = Array(secret.utf8)
        words.context.pushText = secret
        words.senderProfile = SenderProfile(name: secret, avatarURL: secret)
        try store.record(
            received("before", at: 5, text: SecretFiles.text(5)), Event(words, in: group),
            modified("a", secret + " edit", at: 11),
            Event(
                AttachmentStateChanged(.server("a"), state: .available, localPath: secret, remoteURL: secret), in: group
            ),
            Event(MessageFiltered(.server("a"), verdict: .replace(.text(secret))), in: group),
            Event(
                MessageSnapshotReceived(.server("a"), asOf: ms(12), content: .text(secret), modifiedTime: ms(12)),
                in: group),
            received("after", at: 20, text: SecretFiles.text(7)), Event(ConversationDraftChanged(secret), in: group),
            Event(ConversationDraftChanged("kept"), in: group))
        let own = try store.local(queued(secret))
        try store.record(sent(own, "own", at: 30), received("own", at: 30, from: "me", text: secret))
        try store.flush()
    }

    private static let all: [Event] = [
        Event(MessagesDeleted([.server("a"), .server("own")], erases: true), in: group),
        Event(HistoryCleared(upTo: MessageOrder(time: ms(30), id: "own"), erases: true), in: group),
        Event(HistoryCleared(erases: true), in: group),
        Event(ConversationDeleted(alsoMessages: true, erases: true), in: group),
    ]

    @Test(
        "E27, E28, X14: what is deleted or cleared leaves every record at once, and every file with a compaction",
        arguments: all)
    func hunt(event: Event) throws {
        let place = try TemporaryStore()
        var store = try place.open()
        try Self.fill(store)
        let words = try Self.positions(in: store)
        #expect(words.count == 7)
        let drafts = try store.events().filter { $0.event.type == .conversationDraftChanged }.map(\.position)

        try store.record(event)
        let left = try Self.positions(in: store)
        #expect(left == [drafts[0]], "the draft is no message")
        let redacted = Set(try store.events().filter(\.isRedacted).map(\.position))
        #expect(redacted.isSuperset(of: words.subtracting(drafts)))
        #expect(try store.statistics().owedBytes > 0)
        let (digests, events) = (try store.digests(), try store.events())
        try store.rebuild()
        #expect(try store.digests() == digests, "no fold reads words")
        let harmless = event.type == .messagesDeleted ? ["before", "after"] : []
        #expect(try store.page().elements.compactMap(\.serverID?.rawValue) == harmless)

        try store.redact(drafts[0])
        let report = try store.compact()
        #expect(report.isErasureComplete && (report.cutEvents > 0) == (event.type != .messagesDeleted))
        #expect(try SecretFiles.count(in: place.path) == 0)
        #expect(try store.statistics().owedBytes == 0)
        try store.close()
        store = try place.open()
        #expect(try report.cutEvents > 0 || store.digests() == digests)
        #expect(try store.page().elements.compactMap(\.serverID?.rawValue) == harmless)
        #expect(try store.events().count == events.count - report.cutEvents && store.isConsistent())
        try store.close()
    }

    /// Where the secret is in an event.
    private static func positions(in store: MessageStore) throws -> Set<Position> {
        Set(try store.events().filter { "\($0.event.payload)".contains(secret) }.map(\.position))
    }

    @Test("I4: a complete resync of what was erased brings nothing back")
    func resync() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let events = (1...50).map(SecretFiles.message)
        try store.record(events)
        try store.record(Event(HistoryCleared(erases: true), in: group))
        #expect(try store.record(events).duplicates == 50)
        #expect(try store.events().count == 51 && Self.positions(in: store).isEmpty)
        try store.close()
    }

    @Test("what an event does not clear keeps its words: newer messages, and what waits to be sent")
    func limits() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let waiting = try store.local(queued("waiting"))
        try store.record(received("a", at: 10, text: "a"), received("b", at: 20, text: "b"))
        try store.record(received("c", at: 30, in: .group("other"), text: "c"))
        try store.record(Event(HistoryCleared(upTo: MessageOrder(time: ms(10), id: "a"), erases: true), in: group))
        #expect(try store.page().elements.map(\.text) == ["b", "waiting"])
        #expect(try store.events().filter(\.isRedacted).map(\.position) == [Position(2)])
        try store.record(Event(MessagesDeleted([.server("unknown"), .server("c")], erases: true), in: group))
        #expect(try store.events().filter(\.isRedacted).count == 1, "neither is a message of this conversation")
        #expect(try store.message(waiting)?.text == "waiting")
        let other = try store.local(received("d", at: 40, in: .group("other"), text: "d"))
        try store.record(deleted("d", in: .group("other")))
        try store.record(Event(MessagesDeleted([.local(other)], erases: true), in: group))
        #expect(try store.events().filter(\.isRedacted).count == 1, "it is deleted, in another conversation")
        try store.close()
    }

    @Test("a deletion that leaves the messages where they are cannot erase them")
    func refused() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let event = Event(ConversationDeleted(erases: true), in: group)
        #expect(storeError { try store.record(event) }?.code == .invalidArgument)
        try store.close()
    }

    @Test(
        "I2, I6, I16: killed before any of its commits, an erasure was not recorded, or the next opening finishes it",
        arguments: [false, true])
    func killed(ofValues: Bool) async throws {
        let place = try TemporaryStore()
        try place.withStore { store in
            try Self.fill(store)
            try store.redact(
                try #require(try store.events().first { $0.event.type == .conversationDraftChanged }).position)
        }
        var wasComplete = false
        for commit in 1...40 where !wasComplete {
            let copy = place.directory + "/copy-\(commit)"
            try FileManager.default.copyItem(atPath: place.path, toPath: copy)
            let result = await #expect(processExitsWith: .failure) {
                [copy = copy as String, commit = commit as Int, ofValues = ofValues as Bool] in
                try ErasureTests.erase(copy, killedBefore: commit, ofValues: ofValues)
            }
            wasComplete = result?.exitStatus == .exitCode(7)
            try Self.check(copy, place.configuration, ofValues: ofValues)
            try FileManager.default.removeItem(atPath: copy)
        }
        #expect(wasComplete, "it was let through to its end")
    }

    private static func erase(_ store: MessageStore, ofValues: Bool) throws {
        if ofValues {
            try store.erase(Erasure(users: ["bob"], alsoMessages: true, conversations: [group]), alsoIDs: true)
        } else {
            try store.record(all[3])
        }
    }

    private static func erase(_ path: String, killedBefore commit: Int, ofValues: Bool) throws {
        var configuration = MessageStore.Configuration.ofTests
        let commits = Locked(Int.min)
        configuration.commitFault = {
            let isLast = commits.withLock { commits in
                commits += 1
                return commits == commit
            }
            if isLast { kill(getpid(), SIGKILL) }
        }
        configuration.viewCommitFault = configuration.commitFault
        let store = try MessageStore.open(path, account: TemporaryStore.account, configuration: configuration)
        commits.withLock { $0 = 0 }
        try erase(store, ofValues: ofValues)
        exit(7)
    }

    private static func check(
        _ path: String, _ configuration: MessageStore.Configuration, ofValues: Bool
    ) throws {
        let store = try MessageStore.open(path, account: TemporaryStore.account, configuration: configuration)
        let type = ofValues ? EventType.valuesErased : .conversationDeleted
        let isRecorded = try store.events().contains { $0.event.type == type }
        #expect(try positions(in: store).isEmpty == isRecorded)
        #expect(try store.isConsistent())
        if !isRecorded { try erase(store, ofValues: ofValues) }
        #expect(try store.conversation()?.key.id.hasPrefix("erased:") == ofValues)
        #expect(try store.record(received("before", at: 5, text: SecretFiles.text(5))).position == Position(1), "I4")
        #expect(try positions(in: store).isEmpty)
        #expect(try store.compact().isErasureComplete)
        try store.close()
        #expect(try SecretFiles.count(in: path) == 0)
    }

    @Test("an erasure takes two commits: its event, and what it removes with the note that it is done")
    func commits() throws {
        let place = try TemporaryStore()
        let commits = Locked(0)
        let store = try place.open { $0.commitFault = { commits.withLock { $0 += 1 } } }
        try Self.fill(store)
        // Makes the table of what is owed.
        try store.redact(try #require(try store.events().first { $0.event.type == .conversationDraftChanged }).position)
        try store.record(received("later", at: 6))
        commits.withLock { $0 = 0 }
        try store.record(Self.all[3])
        #expect(commits.withLock { $0 } == 2)
        #expect(try Self.positions(in: store).isEmpty)
        try store.close()
    }

    @Test("I2: where the log has no room for the event that erases, the journal takes it")
    func orderWithoutRoom() throws {
        let place = try TemporaryStore()
        let faults = Faults()
        let store = try place.open { $0.commitFault = faults.check }
        try Self.fill(store)
        try store.redact(try #require(try store.events().first { $0.event.type == .conversationDraftChanged }).position)
        try store.record(received("later", at: 6))
        faults.failOnce()
        try store.record(Self.all[3])
        #expect(try store.events().last?.event.type == Self.all[3].type)
        #expect(try Self.positions(in: store).isEmpty)
        try store.close()
    }

    @Test("an erasure that finds no room is finished by the next compaction, or opening")
    func failed() throws {
        let place = try TemporaryStore()
        let faults = Faults()
        let store = try place.open { $0.commitFault = faults.check }
        try Self.fill(store)
        try store.redact(try #require(try store.events().first { $0.event.type == .conversationDraftChanged }).position)
        faults.failAll = true
        try store.record(Self.all[3], acknowledgement: .visible)
        #expect(try !Self.positions(in: store).isEmpty)
        faults.failAll = false
        try store.compact()
        #expect(try Self.positions(in: store).isEmpty)
        try store.close()
    }

    private final class Faults: Sendable {
        private let state = Locked(false)
        private let isNextFailing = Locked(false)
        var failAll: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
        /// Lets the next commit find no room.
        func failOnce() { isNextFailing.withLock { $0 = true } }
        @Sendable func check() throws {
            let isFailing = isNextFailing.withLock { isFailing in
                defer { isFailing = false }
                return isFailing
            }
            if failAll || isFailing { throw FileError(operation: "write", path: "data.mdb", errno: ENOSPC) }
        }
    }
}
