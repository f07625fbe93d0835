import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d18: changes of messages that wait for the server", .store)
struct PendingChangeTests {
    private func modification(_ message: MessageReference, _ origin: Origin = .local) -> Event {
        Event(MessageModified(message, content: .text("new"), at: ms(9)), in: group, origin: origin)
    }

    private func recall(_ message: MessageReference, _ origin: Origin = .local) -> Event {
        Event(MessageRecalled(message), in: group, origin: origin)
    }

    private func pending(_ store: MessageStore) throws -> [PendingChange] { try store.read { try $0.pendingChanges() } }

    /// The position of an event that is recorded.
    private func change(_ store: MessageStore, _ event: Event) throws -> Position {
        try #require(try store.record(event).position)
    }

    private func told(_ change: Position, _ status: PendingChangeStatus, code: Int32 = 0) -> Event {
        Event(PendingChangeUpdated(change, status, code: code))
    }

    @Test("a change made behind an unsent message is ready once that is acknowledged")
    func behindOutbox() throws {
        let local = try store.local(queued("hi"))
        let change = try change(store, modification(.local(local)))
        let end = try self.change(store, recall(.local(local)))
        #expect(try pending(store).map(\.id) == [change, end])
        #expect(try pending(store).map(\.event.type) == [.messageModified, .messageRecalled])
        #expect(try pending(store).allSatisfy { !$0.isReady && $0.message == local && $0.status == .waiting })
        #expect(try store.outbox() == [local])
        try store.record(sent(local, "s", at: 5))
        #expect(try pending(store).map(\.id) == [change, end])
        #expect(try pending(store).allSatisfy(\.isReady))
    }

    @Test("a modification from the server confirms the oldest that waits, a recall ends all", arguments: [true, false])
    func confirmation(isLive: Bool) throws {
        try store.record(received("s", at: 1, from: TemporaryStore.account), received("other", at: 2))
        try store.record(modification(.server("s")), recall(.server("other")))
        let second = try change(store, modification(.server("s")))
        let other = try change(store, recall(.server("other")))
        let origin: Origin = isLive ? .live : .otherDevice
        try store.record(modification(.server("s"), origin))
        #expect(try pending(store).map(\.id).contains(second))
        #expect(try pending(store).count == 3)
        try store.record(modification(.server("s"), origin), modification(.server("other"), origin))
        #expect(try pending(store).allSatisfy { $0.event.type == .messageRecalled })
        #expect(try pending(store).count == 2)
        #expect(try pending(store).last?.id == other)
        try store.record(recall(.server("other"), origin))
        #expect(try pending(store).isEmpty)
    }

    @Test("a failure, another attempt and the end name the change by its position", arguments: [true, false])
    func failure(isConfirmed: Bool) throws {
        let local = try store.local(queued("hi"))
        let change = try change(store, recall(.local(local)))
        try store.record(told(change, .failed, code: 42))
        #expect(try pending(store).first?.status == .failed)
        #expect(try pending(store).first?.failureCode == 42)
        #expect(try store.message(local)?.status == .sending)
        // The message is another matter.
        try store.record(failed(local, code: 1))
        #expect(try pending(store).first?.failureCode == 42)
        try store.record(told(change, .failed, code: 43))
        #expect(try pending(store).first?.failureCode == 43)
        try store.record(told(change, .waiting))
        #expect(try pending(store).first?.status == .waiting)
        #expect(try pending(store).first?.failureCode == nil)
        #expect(try store.message(local)?.status == .failed)
        try store.record(told(Position(1), .confirmed), told(change, PendingChangeStatus(rawValue: 99)))
        #expect(try pending(store).map(\.id) == [change])
        try store.record(told(change, isConfirmed ? .confirmed : .withdrawn))
        #expect(try pending(store).isEmpty)
    }

    @Test("changes end with their message")
    func deletion() throws {
        let local = try store.local(queued("hi"))
        try store.record(received("s", at: 1), recall(.server("s")), recall(.local(local)))
        try store.record(deleted("s"))
        #expect(try pending(store).map(\.message) == [local])
        // Deleted before it was known to be this one.
        try store.record(deleted("late"), sent(local, "late", at: 4))
        #expect(try pending(store).isEmpty)
        try store.record(recall(.server("s")), recall(.local(local)))
        #expect(try pending(store).isEmpty)
    }

    @Test("a change of an echo is that of its message once it is acknowledged")
    func echo() throws {
        let local = try store.local(queued("hi"))
        try store.record(received("s", at: 1, from: TemporaryStore.account))
        let change = try change(store, modification(.server("s")))
        #expect(try pending(store).first?.message != local)
        try store.record(sent(local, "s", at: 1))
        #expect(try pending(store).map(\.message) == [local])
        try store.record(told(change, .failed, code: 3))
        #expect(try pending(store).first?.failureCode == 3)
        try store.record(modification(.local(local), .live))
        #expect(try pending(store).isEmpty)
    }

    @Test("what the server told, and what no message of the conversation has, does not wait")
    func others() throws {
        let local = try store.local(queued("hi", in: peer))
        try store.record(
            received("s", at: 1), recall(.server("s"), .live), modification(.server("unknown")),
            modification(.local(local)), recall(.local(LocalMessageID(999))))
        #expect(try pending(store).isEmpty)
    }
}
