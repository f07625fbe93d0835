import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A projection that cannot fold an event")
struct ProjectionFailureTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private static let events = [
        starred("a", at: 1), starred("b", at: 2), received("m", at: 3), starred("c", at: 4), unstarred("a", at: 5),
    ]

    private func open(_ stars: Stars) throws -> MessageStore {
        try place.open { $0.projections = [stars] }
    }

    /// Fails after the rows of the event at position 2 were written.
    private func failing(_ policy: FailurePolicy, code: Int32 = 42) -> Stars {
        var stars = Stars()
        stars.failurePolicy = policy
        stars.afterwards = { if $0 == Position(2) { throw ProjectionError(code: code) } }
        return stars
    }

    @Test("is skipped: what it wrote is undone, the event is noted, the others are folded", arguments: [1, 5])
    func skip(size: Int) throws {
        let store = try open(failing(.skip))
        for first in stride(from: 0, to: Self.events.count, by: size) {
            try store.record(Array(Self.events[first..<min(first + size, Self.events.count)]))
        }
        try store.read { views in
            let shown1 = try views.starred()
            #expect(shown1 == ["c"])
            let shown2 = try views.starCount(of: group)
            #expect(shown2 == 1)
            let shown3 = try ViewDiagnostics.failedEvents(of: Stars.id, in: views).map(\.position)
            #expect(shown3 == [Position(2)])
            let shown4 = try ViewDiagnostics.failedEvents(of: Stars.id, in: views).map(\.code)
            #expect(shown4 == [42])
        }
        #expect(try store.verify().isConsistent)
        try store.close()
    }

    @Test("stops: other projections go on, its queries throw, live and rebuilt agree")
    func stop() throws {
        var store = try open(failing(.stop))
        try store.record(Array(Self.events[..<3]))
        try store.close()
        store = try open(failing(.stop))
        try store.record(Array(Self.events[3...]))
        let error = #expect(throws: StoreError.self) { try store.read { try $0.starred() } }
        #expect(error?.code == .projectionFailed)
        #expect(error?.position == Position(2))
        #expect(try store.read { try $0.conversations().elements.count } == 1)
        #expect(try store.read { try ViewDiagnostics.failedEvents(of: Stars.id, in: $0).count } == 1)
        let report = try store.verify()
        #expect(report.isConsistent)
        // At a moment before the failure it answers.
        #expect(try store.replay(to: Position(1)) { try $0.starred() } == ["a"])
        try store.close()
    }

    @Test("is tried again by a rebuild")
    func retry() throws {
        var store = try open(failing(.stop))
        try store.record(Self.events)
        try store.close()
        // The mended projection stays stopped until it is rebuilt.
        store = try open(Stars())
        #expect(throws: StoreError.self) { try store.read { try $0.starred() } }
        try store.rebuild([Stars.id])
        #expect(try store.read { try $0.starred() } == ["c", "b"])
        #expect(try store.verify().isConsistent)
        try store.close()
    }

    @Test("an event that lacks a field that the projection reads fails that projection alone")
    func missingField() throws {
        let store = try place.open { $0.projections = [SenderOfAnything()] }
        try store.record([received("m", at: 1), Event(ConversationPinned(), in: group)])
        #expect(
            try store.read {
                try ViewDiagnostics.failedEvents(of: SenderOfAnything.table.projection, in: $0).map(\.position)
            }
                == [
                    Position(2)
                ])
        #expect(try store.read { try $0.timeline(of: group).elements.count } == 1)
        #expect(try store.verify().isConsistent)
        try store.close()
    }

    @Test("I11: contents are not seen, so that a redaction changes no row")
    func contents() throws {
        let store = try place.open { $0.projections = [Copies()] }
        try store.record([received("m", at: 1, text: "words"), Event(ConversationPinned(), in: group)])
        #expect(try store.read { try $0.rows(of: Copies.table).elements.map(\.value.time.milliseconds) } == [0])
        try store.close()
    }

    @Test("I11: contents of events are not seen either, of edits that wait or of unknown types")
    func contentsOfEvents() throws {
        let store = try place.open { $0.projections = [PendingTexts()] }
        try store.record([received("s", at: 1), modified("s", "words", at: 2), Event(ConversationPinned(), in: group)])
        #expect(try store.read { try $0.rows(of: PendingTexts.table).elements.map(\.value.time.milliseconds) } == [0])
        try store.redact(Position(1))
        #expect(try store.verify().isConsistent)
        try store.close()
    }

    @Test("what breaks a rule of the interface is the projection's own failure")
    func mistakes() throws {
        let mistakes: [@Sendable (inout ProjectionRows) throws -> Void] = [
            { try $0.put(StarCount(count: 1), in: Stars.counts, at: .group("")) },
            { try $0.put(Star(user: "", time: ms(1)), in: Stars.byTime, at: (ms(1), "a")) },
            { try $0.put(StarCount(count: 1), in: Mistaken.foreign, at: group) },
            { try $0.remove(from: Mistaken.foreign, at: group) },
            { _ = try $0.read { try $0.profile("bob") } },
            { _ = try $0.read { _ in throw HostError() } },
            { _ = try $0.row(of: Mistaken.otherKey, at: 1) },
        ]
        for (index, mistake) in mistakes.enumerated() {
            let place = try TemporaryStore()
            let store = try place.open { $0.projections = [Mistaken(mistake: mistake)] }
            try store.record(starred("a", at: 1))
            #expect(
                try store.read { try ViewDiagnostics.failedEvents(of: Stars.id, in: $0).map(\.code) } == [0],
                "mistake \(index)")
            #expect(try store.verify().isConsistent)
            try store.close()
        }
    }
}

private struct HostError: Error {}

private struct Mistaken: Projection {
    static let foreign = ProjectionTable<StarCount, ConversationKey>("com.example.other", "counts", key: "conversation")

    static let otherKey = ProjectionTable<StarCount, UInt64>(Stars.id, "counts", key: "n")

    let mistake: @Sendable (inout ProjectionRows) throws -> Void

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Stars.id, version: 1, handles: [.reactionAdded], tables: Stars.messages, Stars.byTime, Stars.counts)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws { try mistake(&rows) }
}

/// Reads the sender of events that have none.
private struct SenderOfAnything: Projection {
    static let table = ProjectionTable<Star, Position>("com.example.senders", "senders", key: "position")

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            "com.example.senders", version: 1, handles: [.messageReceived, .conversationPinned], failurePolicy: .skip,
            tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        let sender = try event[EnvelopeField(.actor, "sender")]
        try rows.put(Star(user: sender, time: event.recordedTime), in: Self.table, at: event.position)
    }
}

/// Keeps how long the texts of a conversation are.
private struct Copies: Projection {
    static let table = ProjectionTable<Star, Position>("com.example.copies", "copies", key: "position")

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            "com.example.copies", version: 1, handles: [.conversationPinned],
            reads: [.messages, .timeline, .syncState, .profiles, .members], tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        let texts = try rows.read { try $0.timeline(of: group).elements.compactMap(\.content.text) }
        let length = Int64(texts.joined().utf8.count)
        try rows.put(Star(user: "any", time: ms(length)), in: Self.table, at: event.position)
    }
}

/// Copies how long the texts of the edits are that wait when a conversation is pinned.
private struct PendingTexts: Projection {
    static let table = ProjectionTable<Star, Position>("com.example.pending", "texts", key: "position")

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            "com.example.pending", version: 1, handles: [.conversationPinned], reads: [.messages, .pendingChanges],
            tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        let edits = try rows.read { try $0.pendingChanges() }.compactMap { $0.event.payload as? MessageModified }
        let length = Int64(edits.compactMap(\.content.text).joined().utf8.count)
        try rows.put(Star(user: "any", time: ms(length)), in: Self.table, at: event.position)
    }
}
