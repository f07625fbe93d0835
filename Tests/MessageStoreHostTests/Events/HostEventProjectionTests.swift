import Foundation
import MessageStore
import Testing

/// Who has to do what: a host's projection of a host's events.
private struct OpenTasks: Projection {
    static let id: ProjectionID = "com.example.open-tasks"
    static let tasks = ProjectionTable<Task, Position>(id, "tasks", key: "task")

    struct Task: DeclaredFields {
        var assignees: [UserID]
        var priority: Int32

        static let fieldList = FieldList(
            Self.init, FieldOf(1, "assignees", \Self.assignees), FieldOf(2, "priority", \Self.priority))

        init(_ assignees: [UserID], _ priority: Int32) { (self.assignees, self.priority) = (assignees, priority) }
    }

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: 1, handles: [EventType(TaskAssigned.V2.self)], failurePolicy: .skip, tables: Self.tasks)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        let task = Task(try event[TaskAssigned.V2.Fields.assignees], try event[TaskAssigned.V2.Fields.priority])
        try rows.put(task, in: Self.tasks, at: event.position)
    }
}

/// A code that an older release declares as an `enum`: it has fewer cases.
private protocol Painted: AccountPayload {
    associatedtype Colour: FieldValue
    var colour: Colour { get }
    init(colour: Colour)
}

extension Painted {
    static var declaration: EventDeclaration { EventDeclaration("com.example.painted", scope: .account) }
    static var field: Field<Colour> { Field(3, "colour") }
    init(from fields: inout some FieldDecoder) throws { self.init(colour: try fields.decode(Self.field)) }
    func encode(to fields: inout some FieldEncoder) throws { try fields.encode(colour, for: Self.field) }
}

private struct NewPainted: Painted { var colour: UInt8 }
private struct OldPainted: Painted {
    enum Colour: UInt8, FieldValue { case red, green }
    var colour: Colour
}

private struct Colours: Projection {
    static let id: ProjectionID = "com.example.colours"
    static let table = ProjectionTable<OpenTasks.Task, Position>(id, "colours", key: "painted")

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: 1, handles: [EventType(OldPainted.self)], failurePolicy: .skip, tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        let colour = try event[OldPainted.field]
        try rows.put(.init([], Int32(colour.rawValue)), in: Self.table, at: event.position)
    }
}

/// Reads payloads: of messages, of a host's events in any version, and of events that are something else.
private struct Payloads: Projection {
    static let id: ProjectionID = "com.example.payloads"
    static let table = ProjectionTable<OpenTasks.Task, Position>(id, "payloads", key: "position")

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: 1, handles: [.messageReceived, .conversationPinned, EventType(TaskAssigned.V2.self)],
            tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        if let task = try event.payload(TaskAssigned.V2.self) {
            let words = task.comment == nil ? "no words" : "words"
            try rows.put(
                .init(task.assignees + [UserID(words)], task.priority), in: Self.table, at: event.position)
        } else if let message = try event.payload(MessageReceived.self) {
            let words = message.content.text == nil ? "no words" : "words"
            try rows.put(.init([message.sender, UserID(words)], 0), in: Self.table, at: event.position)
        }
    }
}

@Suite("Projections of hosts' events", .timeLimit(.minutes(30)))
struct HostEventProjectionTests {
    private let place: HostPlace

    init() throws {
        place = try HostPlace()
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Golden/host-events-1")
        try FileManager.default.copyItem(atPath: golden.path, toPath: place.path)
    }

    private func open() throws -> MessageStore {
        var configuration = MessageStore.Configuration()
        configuration.events = [TaskAssigned.V2.self]
        configuration.projections = [OpenTasks()]
        return try MessageStore.open(place.path, account: "me", configuration: configuration)
    }

    private func tasks(_ store: MessageStore) throws -> [OpenTasks.Task] {
        try store.read { try $0.rows(of: OpenTasks.tasks).elements.map(\.value) }
    }

    @Test("an event that the host's code cannot read is a failure of its projection, and keeps no store from opening")
    func unreadable() async throws {
        let place = try HostPlace()
        try place.withStore([NewPainted.self]) { store throws in
            try store.record((0..<4).map { Event(NewPainted(colour: $0)) })
        }
        var configuration = MessageStore.Configuration()
        configuration.events = [OldPainted.self]
        configuration.projections = [Colours()]
        let store = try await MessageStore.open(place.path, account: "me", configuration: configuration)
        try await store.waitUntilRebuilt()
        try expectFailures(store)
        let error = storeError { try store.forEachEvent { _ in true } }
        #expect(error?.code == .recordDamaged && error?.position == Position(3))
        #expect(error?.message == "com.example.painted.colour cannot be read")
        try await store.close()
    }

    private func expectFailures(_ store: MessageStore) throws {
        #expect(try store.read { try $0.rows(of: Colours.table).elements.map(\.value.priority) } == [0, 1])
        #expect(
            try store.read { try ViewDiagnostics.failedEvents(of: Colours.id, in: $0).map(\.position.rawValue) } == [
                3, 4,
            ])
        #expect(try store.verify().isConsistent)
    }

    @Test("a fold reads payloads, the library's and a host's of any version, without their content")
    func payloads() async throws {
        var configuration = MessageStore.Configuration()
        configuration.events = [TaskAssigned.V2.self]
        configuration.projections = [Payloads()]
        let store = try await MessageStore.open(place.path, account: "me", configuration: configuration)
        try await store.waitUntilRebuilt()
        let old = try await store.read { try $0.rows(of: Payloads.table).elements.map(\.value) }
        // The message that the tasks are about, and the tasks, which version 1 recorded.
        let tasks: [OpenTasks.Task] = [
            .init(["alice", "no words"], 2), .init(["张三", "no words"], -1), .init(["bob", "no words"], -1),
        ]
        #expect(old == [.init(["bob", "no words"], 0)] + tasks)
        try await store.record([
            .received("m1", from: "tom", in: .group("g"), at: Timestamp(milliseconds: 5), content: .text("hi")),
            Event(ConversationPinned(true), in: .group("g")),
        ])
        let last = try await store.read { try $0.rows(of: Payloads.table).elements.map(\.value) }.dropFirst(old.count)
        #expect(Array(last) == [.init(["tom", "no words"], 0)])
        try await store.close()
    }

    @Test("I3, I11: a fold is given events of an earlier version as current ones; users need no event that names them")
    func lifted() throws {
        // The third event was redacted, the first will be: rows follow from fields.
        let old = [OpenTasks.Task(["alice"], 2), .init(["张三"], -1), .init(["bob"], -1)]
        let store = try open()
        #expect(try tasks(store) == old)
        try store.record(Event(TaskAssigned.V2(.server("s1"), ["carol", "dan"], 1, "words"), in: .group("g")))
        for position in [Position(2), Position(5)] { try store.redact(position) }
        #expect(try tasks(store) == old + [.init(["carol", "dan"], 1)])
        #expect(try store.verify().isConsistent)
        // The users are named by events only now; that changes nothing of what was folded.
        try store.record(Event(ProfileInvalidated(["carol", "alice"])))
        #expect(try store.verify().isConsistent)
        try store.rebuild()
        #expect(try tasks(store) == old + [.init(["carol", "dan"], 1)])
        try store.close()
        let again = try open()
        #expect(try tasks(again).count == 4)
        try again.close()
        // Without the host's code the store is whole, and what it cannot fold is no difference.
        try place.withStore([]) { store throws in #expect(try store.verify().isConsistent) }
    }
}
