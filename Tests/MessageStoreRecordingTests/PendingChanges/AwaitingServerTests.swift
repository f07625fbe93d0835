import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d49: events that await the server", .store)
struct AwaitingServerTests {
    private func pending(_ store: MessageStore) throws -> [PendingChange] { try store.read { try $0.pendingChanges() } }

    /// A payload's time is the event's as well, once it was recorded.
    private func untimed(_ event: Event) -> Event {
        var event = event
        event.serverTime = nil
        return event
    }

    /// One of every kind of thing that users do.
    private static let actions = [
        Event(ReactionAdded(.server("s"), key: "👍", by: TemporaryStore.account, at: ms(5)), in: group),
        Event(ReactionRemoved(.server("s"), key: "👍", by: TemporaryStore.account, at: ms(6)), in: group),
        Event(ConversationRead(), in: group), Event(ConversationMarkedUnread(), in: group),
        Event(ConversationPinned(), in: group), Event(ConversationMuted(true), in: group),
        Event(ConversationArchived(), in: group), Event(ConversationDraftChanged("草稿"), in: group),
        Event(ConversationTagged(add: ["work"]), in: group), Event(MessagePinned(.server("s")), in: group),
        Event(MessageStarred(.server("s")), in: group),
        Event(MessagesDeleted([.server("s")], isRemote: true), in: group),
        Event(HistoryCleared(isRemote: true), in: group), Event(ConversationDeleted(isRemote: true), in: group),
        Event(UsersBlocked(["bob"])), Event(ConversationFolderChanged("f", condition: nil)),
    ]

    @Test("d49: whatever is done here waits in the order of the log until it is confirmed", arguments: [true, false])
    func everyKind(isReopened: Bool) throws {
        let place = try TemporaryStore()
        var store = try place.open()
        // What belongs to the message would end with it, so its deletion waits in a store of its own below.
        let actions = Self.actions.filter { $0.type != .messagesDeleted }
        try store.record(received("s", at: 1))
        let positions = try store.record(actions.map { $0.awaitingServer() }).positions.compactMap { $0 }
        if isReopened {
            try store.close()
            store = try place.open()
        }
        #expect(try pending(store).map(\.id) == positions)
        #expect(try pending(store).map { untimed($0.event) } == actions.map { $0.awaitingServer() })
        #expect(try pending(store).allSatisfy { $0.isReady && $0.status == .waiting })
        #expect(try store.isConsistent())
        try store.record(positions.dropLast().map { Event(PendingChangeUpdated($0, .confirmed)) })
        #expect(try pending(store).map(\.id) == Array(positions.suffix(1)))
        try store.record(Event(PendingChangeUpdated(try #require(positions.last), .withdrawn)))
        #expect(try pending(store).isEmpty)
        #expect(try store.isConsistent())
    }

    @Test("d49: events that were not recorded so do not wait, and waiting changes nothing else of them")
    func onlyOnRequest() throws {
        var states: [Conversation?] = []
        for isWaiting in [false, true] {
            try withTemporaryStore { store throws in
                try store.record([received("s", at: 1)] + Self.actions.map { isWaiting ? $0.awaitingServer() : $0 })
                let isEmpty = try pending(store).isEmpty
                #expect(isEmpty == !isWaiting)
                states.append(try store.read { try $0.conversation(group) })
            }
        }
        #expect(states[0] == states[1])
    }

    @Test("d49: deleting a message ends what waits for it, and the deletion itself waits")
    func deletion() throws {
        try store.record(received("s", at: 1), received("other", at: 2))
        try store.record(Self.actions.prefix(2).map { $0.awaitingServer() })
        try store.record(Event(MessageStarred(.server("other")), in: group).awaitingServer())
        #expect(try pending(store).count == 3)
        try store.record(Event(MessagesDeleted([.server("s")], isRemote: true), in: group).awaitingServer())
        #expect(try pending(store).map(\.event.type) == [.messageStarred, .messagesDeleted])
        #expect(try pending(store).last?.message == nil)
    }

    @Test("d49: a reaction to a message that is not sent is ready once the server knows the message")
    func readiness() throws {
        let local = try store.local(queued("hi"))
        try store.record(
            Event(
                ReactionAdded(.local(local), key: "👍", by: TemporaryStore.account, at: ms(5)), in: group
            ).awaitingServer())
        #expect(try pending(store).map(\.isReady) == [false])
        #expect(try pending(store).map(\.message) == [local])
        try store.record(sent(local, "s", at: 5))
        #expect(try pending(store).map(\.isReady) == [true])
    }

    @Test("d49: a change of a message that the store does not know waits where the host says so, and can be confirmed")
    func unknownMessage() throws {
        let edit = Event(MessageModified(.server("late"), content: .text("new"), at: ms(9)), in: group)
        try store.record(edit)
        #expect(try pending(store).isEmpty)
        try store.record(edit.awaitingServer())
        let waiting = try #require(try pending(store).first)
        #expect(waiting.message == nil && untimed(waiting.event) == edit.awaitingServer())
        try store.record(received("late", at: 3, from: TemporaryStore.account))
        try store.record(Event(PendingChangeUpdated(waiting.id, .confirmed)))
        #expect(try pending(store).isEmpty)
    }

    @Test("d49: a recall that the server tells ends edits and recalls of the message, and not its reactions")
    func recall() throws {
        try store.record(received("s", at: 1))
        try store.record(Self.actions[0].awaitingServer())
        try store.record(Event(MessageModified(.server("s"), content: .text("new"), at: ms(9)), in: group))
        try store.record(recalled("s"))
        #expect(try pending(store).count == 3)
        try store.record(Event(MessageRecalled(.server("s")), in: group, origin: .live))
        #expect(try pending(store).map(\.event.type) == [.reactionAdded])
    }

    @Test("d49: only what was done here can await the server, and messages wait in the outbox")
    func refusals() throws {
        for event in [
            Event(ConversationPinned(), in: group, origin: .otherDevice), received("s", at: 1), queued("hi"),
            Event(PendingChangeUpdated(Position(1), .failed)),
            Event(MessageSnapshotReceived(.server("s"), isRecalled: true), in: group),
        ] {
            expectError(.invalidArgument) { try store.record(event.awaitingServer()) }
        }
        #expect(try store.lastPosition() == .origin)
    }

    @Test("d49, d32: an update of nothing that waited is said to match nothing")
    func unmatched() throws {
        let result = try store.record([
            Event(ConversationPinned(), in: group), Event(ConversationPinned(), in: group).awaitingServer(),
            Event(PendingChangeUpdated(Position(1), .confirmed)),
            Event(PendingChangeUpdated(Position(2), .confirmed)),
            Event(PendingChangeUpdated(Position(9), .confirmed)),
        ])
        #expect(result.unmatched == [2, 4])
        #expect(try store.record([Event(PendingChangeUpdated(Position(2), .failed))]).unmatched == [])
    }

    @Test("d49: an event keeps in JSON that it awaits the server, and others do not mention it")
    func json() throws {
        for action in Self.actions {
            let data = try JSONEncoder().encode(action.awaitingServer())
            #expect(try JSONDecoder().decode(Event.self, from: data) == action.awaitingServer())
            let plain = String(decoding: try JSONEncoder().encode(action), as: UTF8.self)
            #expect(!plain.contains("awaitsServer"))
        }
    }

    private func edit(_ text: String, at time: Int64 = 9, _ origin: Origin = .local) -> Event {
        Event(MessageModified(.server("s"), content: .text(text), at: ms(time)), in: group, origin: origin)
    }

    @Test("d49: an edit with the mark ends by what the host tells alone, one without it by the server's echo")
    func markedEdits() throws {
        try store.record(received("s", at: 1))
        let first = try #require(try store.record(edit("a").awaitingServer()).position)
        let second = try #require(try store.record(edit("b", at: 10).awaitingServer()).position)
        let plain = try #require(try store.record(edit("c", at: 11)).position)
        try store.record(Event(PendingChangeUpdated(first, .confirmed)))
        // The echo of what was confirmed is no confirmation of what the server never got.
        try store.record(edit("a", .live))
        #expect(try pending(store).map(\.id) == [second])
        #expect(plain > second)
        try store.record(Event(MessageRecalled(.server("s")), in: group, origin: .live))
        #expect(try pending(store).isEmpty)
    }

    @Test("d49: a change of an echo that was hidden is that of its message once it is acknowledged")
    func hiddenEcho() throws {
        let local = try store.local(queued("hi"))
        try store.record(received("s", at: 1, from: TemporaryStore.account))
        try store.record(Event(MessageFiltered(.server("s"), verdict: .hide), in: group), edit("new"))
        let change = try #require(try pending(store).first)
        #expect(change.message != local)
        try store.record(sent(local, "s", at: 1))
        #expect(try pending(store).map(\.message) == [local])
        try store.record(Event(PendingChangeUpdated(change.id, .confirmed)))
        #expect(try pending(store).isEmpty)
    }

    @Test("d49: a copy of the message ends an edit only where it tells one that is as late", arguments: [8, 9])
    func copies(time: Int64) throws {
        try store.record(received("s", at: 1), edit("here", at: 9))
        let copy = MessageSnapshotReceived(.server("s"), content: .text("there"), modifiedTime: ms(time))
        try store.record(Event(copy, in: group, origin: .history))
        #expect(try pending(store).isEmpty == (time == 9))
    }

    @Test("d49, I11: an edit whose content was removed still waits, and tells that it was")
    func redacted() throws {
        try store.record(received("s", at: 1), edit("secret"))
        #expect(try pending(store).map(\.isRedacted) == [false])
        try store.redact(Position(1))
        #expect(try pending(store).map(\.isRedacted) == [true])
    }

    @Test("d49: what cannot be sent before its message is not ready; a line of this device is nothing to tell")
    func attachmentsAndLines() throws {
        let local = try store.local(queued("hi"))
        let state = AttachmentStateChanged(.local(local), state: .uploaded)
        try store.record(Event(state, in: group).awaitingServer())
        #expect(try pending(store).map(\.isReady) == [false])
        let line = try store.local(Event(MessageInsertedLocally(content: .text("line"), time: ms(5)), in: group))
        try store.record(Event(MessageModified(.local(line), content: .text("new"), at: ms(9)), in: group))
        #expect(try pending(store).count == 1)
    }

    @Test("d49, I3: what waits goes through JSON into another store")
    func restored() throws {
        let (first, second) = (try TemporaryStore(), try TemporaryStore())
        let (store, other) = (try first.open(), try second.open())
        try store.record([received("s", at: 1), edit("new").awaitingServer()])
        try store.record(Event(ConversationPinned(), in: group).awaitingServer())
        let encoder = JSONEncoder()
        let lines = try store.events(limit: .max).map { try encoder.encode($0) }
        try other.appendRecorded(lines.map { try JSONDecoder().decode(RecordedEvent.self, from: $0) })
        #expect(try pending(other) == pending(store) && pending(other).count == 2)
        try store.close()
        try other.close()
    }
}
