import MessageStore
import Testing

/// A release of a host that cannot read what an earlier one recorded.
private struct Unreadable: ConversationPayload {
    struct Refusal: Error {}
    static let declaration = EventDeclaration(TaskAssigned.name, version: 2, scope: .conversation)

    init(upcasting fields: inout some FieldDecoder, from version: UInt8) throws { throw Refusal() }
    init(from fields: inout some FieldDecoder) throws {}
    func encode(to fields: inout some FieldEncoder) throws {}
}

@Suite("Hosts' events that await the server")
struct HostEventQueueTests {
    private let task = TaskAssigned.V1(message: .server("s1"), assignee: "张三", isUrgent: true, comment: "请尽快")

    @Test("d49: a host's own event waits with its payload and is confirmed")
    func waits() throws {
        let place = try HostPlace()
        try place.withStore([TaskAssigned.V1.self]) { store throws in
            let position = try #require(try store.record(Event(any: task, in: .group("g")).awaitingServer()).position)
            let waiting = try store.read { try $0.pendingChanges() }
            #expect(waiting.map(\.id) == [position])
            #expect(waiting.map { $0.event.payload as? TaskAssigned.V1 } == [task])
            try store.record(Event(PendingChangeUpdated(position, .confirmed)))
            #expect(try store.read { try $0.pendingChanges() }.isEmpty)
        }
    }

    @Test("d49: what a host's type cannot read hides nothing else that waits, and can be withdrawn")
    func unreadable() throws {
        let place = try HostPlace()
        try place.withStore([TaskAssigned.V1.self]) { store throws in
            try store.record([
                Event(any: task, in: .group("g")).awaitingServer(),
                Event(ConversationPinned(), in: .group("g")).awaitingServer(),
            ])
        }
        try place.withStore([Unreadable.self]) { store throws in
            let waiting = try store.read { try $0.pendingChanges() }
            #expect(waiting.map(\.id) == [Position(1), Position(2)])
            #expect(waiting.first?.event.payload is UnknownEvent)
            #expect(waiting.last?.event.payload as? ConversationPinned != nil)
            try store.record(Event(PendingChangeUpdated(Position(1), .withdrawn)))
            #expect(try store.read { try $0.pendingChanges() }.map(\.id) == [Position(2)])
        }
    }
}
