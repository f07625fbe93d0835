import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("C17, d27: history providers that do not keep their word", .timeLimit(.minutes(30)))
struct HistoryProviderTests {
    private let place: TemporaryStore

    init() throws {
        place = try TemporaryStore()
    }

    private func open(_ provider: FakeHistoryProvider, timeout: Duration = .seconds(3600)) throws -> MessageStore {
        try place.open { configuration in
            configuration.hooks.historyProvider = provider
            configuration.clock = SleepNotingClock()
            configuration.hooks.historyTimeout = timeout
        }
    }

    private func names(_ range: ClosedRange<Int>) -> [String] { range.map { "m\($0)" } }

    @Test("a page is made of a transport's events; what history cannot record is refused with its index and type")
    func events() throws {
        let snapshot = MessageSnapshotReceived(.server("m1"), isRecalled: true)
        let page = try RemoteHistoryPage(
            events: [received("m1", at: 1), Event(snapshot, in: group), received("m2", at: 2)], reachesBeginning: true)
        #expect(page.messages.map(\.serverID) == ["m1", "m2"] && page.snapshots == [snapshot] && page.reachesBeginning)
        let error = storeError { _ = try RemoteHistoryPage(events: [received("m1", at: 1), .read(in: group)]) }
        #expect(error?.code == .invalidArgument && error?.message.contains("event 1, a ConversationRead") == true)
    }

    @Test("a provider that throws is an error without its words, and what the store has stays readable")
    func throwing() async throws {
        let questions = Counter()
        let store = try open(
            FakeHistoryProvider(9) { _, right in
                questions.increment()
                if questions.value == 1 { throw Refusal() }
                return right
            })
        try await store.record([received("m9", at: 90)])
        do {
            _ = try await store.history(of: group)
            Issue.record("nothing was thrown")
        } catch let error as StoreError {
            #expect(error.code == .hookFailed && !error.description.contains("Refused"))
        }
        #expect(try store.texts() == ["m9"])
        #expect(try await store.history(of: group).texts == names(1...9), "the next question is a new request")
        try await store.close()
    }

    @Test("a provider that never answers fails by the time-out")
    func hanging() async throws {
        let gate = TestGate()
        let provider = FakeHistoryProvider(9) { _, right in
            await gate.wait()
            return right
        }
        let store = try open(provider, timeout: .seconds(1))
        await expectAsyncError(.hookFailed) { _ = try await store.history(of: group) }
        gate.open()
        #expect(try store.lastPosition() == .origin)
        try await store.close()
    }

    @Test("whoever asks for the same place meanwhile shares the request, but not one for too few messages")
    func sharing() async throws {
        let gate = TestGate()
        let provider = FakeHistoryProvider(30) { _, right in
            await gate.wait()
            return right
        }
        let store = try open(provider)
        async let first = store.remoteHistory(of: group, limit: 10)
        await provider.asked.wait { $0.count == 1 }
        async let second = store.remoteHistory(of: group, limit: 5)
        async let third = store.remoteHistory(of: group, limit: 20)
        await MessageStore.letOthersRun()
        #expect(provider.questions.count == 1)
        gate.open()
        #expect(try await first.elements.count == 10)
        #expect(try await second.elements.map(\.serverID) == ["m26", "m27", "m28", "m29", "m30"])
        #expect(try await third.elements.count == 20)
        #expect(provider.questions.count <= 3)
        try await store.close()
    }

    @Test("a provider may answer fewer: the page ends there, and the next goes on")
    func fewer() async throws {
        let provider = FakeHistoryProvider(30) { question, right in
            if question.anchor == FakeHistoryProvider.place(23) {
                return RemoteHistoryPage(messages: [], reachesBeginning: true)
            }
            return RemoteHistoryPage(messages: right.messages.suffix(4), reachesBeginning: false)
        }
        let store = try open(provider)
        try await store.record([received("m3", at: 30)])
        let page = try await store.history(of: group, limit: 10)
        #expect(page.texts == names(27...30) && page.hasOlder && !page.reachesBeginning)
        #expect(try await store.history(of: group, .before(.message(.server("m27")))).texts == names(23...26))
        let end = try await store.history(of: group, .before(.message(.server("m23"))))
        #expect(end.texts == ["m3"], "what the store has is shown, whatever the server says")
        try await store.close()
    }

    @Test("a provider may answer more: the messages next to the anchor are taken")
    func more() async throws {
        let provider = FakeHistoryProvider(30) { _, _ in
            RemoteHistoryPage(
                messages: (1...30).reversed().map { FakeHistoryProvider.message($0) }, reachesBeginning: true)
        }
        let store = try open(provider)
        let page = try await store.history(of: group, limit: 5)
        #expect(page.texts == names(26...30) && !page.reachesBeginning)
        #expect(try store.lastPosition() == Position(6))
        try await store.close()
    }

    @Test("messages at or after the anchor, and repeats, are left out")
    func newer() async throws {
        let provider = FakeHistoryProvider(30) { question, right in
            guard question.anchor != nil else { return right }
            let all = (21...30).map { FakeHistoryProvider.message($0) }
            return RemoteHistoryPage(messages: all + all, reachesBeginning: false)
        }
        let store = try open(provider)
        try await store.record([received("m25", at: 250)])
        let page = try await store.history(of: group, .before(.message(.server("m25"))), limit: 10)
        #expect(page.texts == names(21...24))
        #expect(try store.texts() == names(21...25))
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("a message that breaks a rule fails the whole page")
    func broken() async throws {
        let provider = FakeHistoryProvider(3) { _, right in
            var broken = right
            broken.messages[1].sender = ""
            return broken
        }
        let store = try open(provider)
        await expectAsyncError(.hookFailed) { _ = try await store.history(of: group) }
        #expect(try store.lastPosition() == .origin)
        try await store.close()
    }

    @Test("an answer that comes after closing is lost, and the question says so")
    func closing() async throws {
        let gate = TestGate()
        let provider = FakeHistoryProvider(3) { _, right in
            await gate.wait()
            return right
        }
        let store = try open(provider)
        let question = Task { try await store.history(of: group) }
        await provider.asked.wait { !$0.isEmpty }
        try await store.close()
        gate.open()
        await #expect(throws: StoreError.self) { try await question.value }
    }
}
