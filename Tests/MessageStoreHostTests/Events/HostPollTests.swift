import Foundation
import MessageStore
import Testing

/// A poll: what people wrote is content, which projections do not see.
private struct PollOpened: ConversationPayload {
    var question: String?

    static let declaration = EventDeclaration("com.example.poll-opened", scope: .conversation)
    static let question = ContentField<String?>(1, "question")

    init(_ question: String?) { self.question = question }
    init(from fields: inout some FieldDecoder) throws { self.init(try fields.decode(Self.question)) }
    func encode(to fields: inout some FieldEncoder) throws { try fields.encode(question, for: Self.question) }
}

/// The polls, by the position of their events.
private struct Polls: Projection {
    static let id: ProjectionID = "com.example.polls"
    static let polls = ProjectionTable<Poll, Position>(id, "polls", key: "poll")

    struct Poll: FieldGroup {
        var time: Timestamp

        private static let time = Field<Timestamp>(1, "time")
        init(_ time: Timestamp) { self.time = time }
        init(from fields: inout some FieldDecoder) throws { time = try fields.decode(Self.time) }
        func encode(to fields: inout some FieldEncoder) throws { try fields.encode(time, for: Self.time) }
    }

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(Self.id, version: 1, handles: [EventType(PollOpened.self)], tables: Self.polls)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        try rows.put(Poll(event.recordedTime), in: Self.polls, at: event.position)
    }

    /// The questions, oldest first.
    static func questions(in views: borrowing Views) throws -> [String] {
        var questions: [String] = []
        for row in try views.rows(of: polls).elements {
            guard let poll = try views.event(at: row.key)?.event.payload as? PollOpened else { continue }
            questions.append(poll.question ?? "(removed)")
        }
        return questions
    }
}

@Suite("Rows of a host with their words", .timeLimit(.minutes(30)))
struct HostPollTests {
    private let group = ConversationKey.group("g")

    private func open(_ place: HostPlace) throws -> MessageStore {
        var configuration = MessageStore.Configuration()
        configuration.events = [PollOpened.self]
        configuration.projections = [Polls()]
        configuration.durability.level = .relaxed
        return try MessageStore.open(place.path, account: "me", configuration: configuration)
    }

    @Test("a live list of polls with their questions is one query")
    func liveList() async throws {
        let place = try HostPlace()
        let store = try open(place)
        var lists = store.observe { try Polls.questions(in: $0) }.makeAsyncIterator()
        #expect(try await lists.next() == [])
        try await store.record(Event(PollOpened("Tea or coffee?"), in: group))
        #expect(try await lists.next() == ["Tea or coffee?"])
        try await store.record(Event(PollOpened("Where?"), in: group))
        #expect(try await lists.next() == ["Tea or coffee?", "Where?"])
        try await store.redact(Position(1))
        #expect(try await store.read { try Polls.questions(in: $0) } == ["(removed)", "Where?"])
        try await store.close()
    }

    @Test("a read gives the events up to its position, as the log has them")
    func events() throws {
        let place = try HostPlace()
        let store = try open(place)
        try store.record([Event(PollOpened("A?"), in: group), Event(ConversationPinned(), in: group)])
        let logged = try store.events()
        try store.read { views in
            let found = [try views.event(at: Position(1)), try views.event(at: Position(2))]
            #expect(found == logged)
            let (before, behind) = (try views.event(at: Position(0)), try views.event(at: Position(3)))
            #expect(before == nil && behind == nil)
        }
        try store.replay(to: Position(1)) { views in
            let (first, second) = (try views.event(at: Position(1)), try views.event(at: Position(2)))
            #expect(first == logged[0] && second == nil)
        }
        try store.close()
    }
}
