import Foundation
import MessageStore
import Testing

/// A store that a host's first release wrote, kept as it is: `Golden/host-events-1`.
///
/// It was made by this suite with `MESSAGESTORE_RECORD_GOLDEN` set, and is never made again.
@Suite("Versions of hosts' events")
struct HostEventVersionTests {
    private static let golden = Result {
        let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Golden/host-events-1")
        if ProcessInfo.processInfo.environment["MESSAGESTORE_RECORD_GOLDEN"] != nil { try record(at: golden) }
        return golden
    }

    /// What the first release recorded; the third was redacted.
    private static let tasks = [
        TaskAssigned.V1(message: .server("s1"), assignee: "alice", isUrgent: true, comment: "请尽快"),
        TaskAssigned.V1(message: .local(LocalMessageID(1)), assignee: "张三", isUrgent: false, comment: nil),
        TaskAssigned.V1(message: .server("s1"), assignee: "bob", isUrgent: false, comment: "never mind"),
    ]
    /// What the second reads: position, message, assignee, priority, comment.
    private static let lifted: [(UInt64, TaskAssigned.V2)] = [
        (2, .init(.server("s1"), ["alice"], 2, "请尽快")),
        (3, .init(.local(LocalMessageID(1)), ["张三"], -1, nil)),
        (4, .init(.server("s1"), ["bob"], -1, nil)),
    ]

    private let place: HostPlace

    init() throws {
        place = try HostPlace()
        try FileManager.default.copyItem(atPath: Self.golden.get().path, toPath: place.path)
    }

    private static func record(at golden: URL) throws {
        guard !FileManager.default.fileExists(atPath: golden.path) else { return }
        let place = try HostPlace()
        try place.withStore([TaskAssigned.V1.self]) { store throws in
            try store.record(HostEventTests.message)
            try store.record(
                tasks.enumerated().map { index, task in
                    Event(any: task, in: .group("g"), id: EventID("task\(index)"), origin: .live)
                })
            try store.redact(Position(4))
        }
        try FileManager.default.createDirectory(
            at: golden.appendingPathComponent("log"), withIntermediateDirectories: true)
        for name in ["identity.json", "log/data.mdb"] {
            try FileManager.default.copyItem(atPath: "\(place.path)/\(name)", toPath: golden.path + "/\(name)")
        }
    }

    private func expectLifted(_ store: MessageStore) throws {
        let events = try store.events(where: EventFilter(types: [EventType(TaskAssigned.V2.self)]))
        #expect(events.map(\.position.rawValue) == Self.lifted.map(\.0))
        #expect(events.map { $0.event.payload as? TaskAssigned.V2 } == Self.lifted.map(\.1))
        #expect(events.map(\.event.id) == ["task0", "task1", "task2"])
        #expect(events.map(\.isRedacted) == [false, false, true])
        #expect(events.allSatisfy { $0.event.unknownFields.isEmpty })
    }

    @Test("I13: what a host's earlier release recorded is lifted to the current version of its type")
    func golden() throws {
        try place.withStore([TaskAssigned.V2.self]) { store throws in
            try expectLifted(store)
            #expect(try store.verify().isConsistent)
            // Records stay as they are.
            let new = Event(TaskAssigned.V2(.server("s1"), ["carol"], 1, nil), in: .group("g"))
            #expect(try store.record(new).position == Position(5))
            #expect(try store.events(from: Position(5)).map(\.event) == [new])
        }
        try place.withStore([TaskAssigned.V1.self]) { store throws in
            let events = try store.events(from: Position(2)).map(\.event.payload)
            var tasks = Self.tasks
            tasks[2].comment = nil
            #expect(events.compactMap { $0 as? TaskAssigned.V1 } == tasks)
            // To the release before, an event of a newer version is unknown.
            let newer = try #require(events.last as? UnknownEvent)
            #expect(newer.schemaVersion == 2 && newer.type == EventType(TaskAssigned.V1.self))
        }
    }

    @Test("each version is described beside the others; a release before leaves them alone")
    func descriptions() throws {
        for events in [[TaskAssigned.V2.self], [TaskAssigned.V1.self], []] as [[any EventPayload.Type]] {
            let descriptions = try place.withStore(events) { try $0.eventDescriptions() }
            #expect(descriptions.map(\.version) == [1, 2])
            #expect(descriptions.map { $0.fields.map(\.name) }.first == ["message", "assignee", "isUrgent", "comment"])
            #expect(descriptions.map { $0.fields.map(\.name) }.last == ["message", "priority", "assignees", "comment"])
        }
    }

    @Test("a redacted event restores where a later version has nothing to redact")
    func withoutContent() throws {
        let backup = try place.withStore([TaskAssigned.V3.self]) { try $0.backup() }
        let copy = try HostPlace()
        try copy.withStore([TaskAssigned.V3.self]) { store throws in
            try store.restore(backup)
            let events = try store.events(where: EventFilter(types: [EventType(TaskAssigned.V3.self)]))
            #expect(events.map { ($0.event.payload as? TaskAssigned.V3)?.assignees } == [["alice"], ["张三"], ["bob"]])
            #expect(events.map(\.isRedacted) == [false, false, true])
            #expect(try store.verify().isConsistent)
        }
    }

    @Test(
        "a backup that any release made restores to what the current one reads",
        arguments: [[TaskAssigned.V1.self], [TaskAssigned.V2.self], []] as [[any EventPayload.Type]])
    func backups(events: [any EventPayload.Type]) throws {
        let backup = try place.withStore(events) { try $0.backup() }
        let copy = try HostPlace()
        try copy.withStore([TaskAssigned.V2.self]) { store throws in
            try store.restore(backup)
            try expectLifted(store)
            #expect(try store.verify().isConsistent)
        }
        let current = try place.withStore([TaskAssigned.V2.self]) { try $0.backup() }
        #expect(try copy.withStore([TaskAssigned.V2.self]) { try $0.backup() } == current)
    }

    @Test("JSON of a newer version than the host has is refused by name and version")
    func newerJSON() throws {
        let newer = Event(TaskAssigned.V2(.server("s1"), ["carol"], 1, nil), in: .group("g"))
        let json = try JSONEncoder().encode(newer)
        let decoder = JSONDecoder()
        decoder.userInfo[.eventTypes] = try EventTypes([TaskAssigned.V1.self])
        let error = #expect(throws: DecodingError.self) { try decoder.decode(Event.self, from: json) }
        #expect("\(error as Any)".contains("com.example.task-assigned is of version 2; this host reads up to 1"))
    }

    @Test("content that an earlier version recorded is redacted")
    func redaction() throws {
        try place.withStore([TaskAssigned.V2.self]) { store throws in
            try store.redact(Position(2))
            let event = try #require(try store.events(from: Position(2)).first)
            #expect(event.isRedacted)
            #expect(event.event.payload as? TaskAssigned.V2 == .init(.server("s1"), ["alice"], 2, nil))
        }
    }

    @Test("I9: an unknown event of an earlier version is recorded as it is, and refused where it cannot be lifted")
    func unknownOfEarlierVersion() throws {
        let unknown = try place.withStore([]) { try #require(try $0.events(from: Position(2)).first?.event) }
        try place.withStore([TaskAssigned.V2.self]) { store throws in
            var again = unknown
            again.id = nil
            if var payload = again.payload as? UnknownEvent {
                payload.fields.removeFirst(2 + "task0".utf8.count)
                again.payload = payload
            }
            #expect(try store.record(again).position == Position(5))
            #expect(
                try store.events(from: Position(5)).first?.event.payload as? TaskAssigned.V2 == Self.lifted[0].1)
            let broken = Event(any: UnknownEvent(type: unknown.type), in: .group("g"))
            #expect(storeError { try store.record(broken) }?.code == .invalidArgument)
        }
    }
}

extension TaskAssigned.V2 {
    init(_ message: MessageReference, _ assignees: [UserID], _ priority: Int32, _ comment: String?) {
        (self.message, self.assignees, self.priority, self.comment) = (message, assignees, priority, comment)
    }
}
