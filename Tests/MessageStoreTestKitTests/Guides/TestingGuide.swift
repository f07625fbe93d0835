import MessageStore
import MessageStoreTestKit
import Testing

// Docs/Testing.md shows the code of this file; a test compares them.

@Suite(.timeLimit(.minutes(30)))
struct TestingGuide {
    let friends = ConversationKey.group("friends")

    @Test func unread() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try store.record(.received("m1", from: "bob", in: friends, at: .now, content: .text("hello")))
        #expect(try store.read { try $0.unread(of: friends).messages } == 1)
        try store.close()
    }
}

extension TestingGuide {
    @Test func restart() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(.draftChanged("on my", in: friends))
        }
        try place.withStore { store throws in
            #expect(try store.read { try $0.conversation(friends)?.draft } == "on my")
            #expect(try store.verify().isConsistent)
        }
    }
}

extension TestingGuide {
    @Test func muteEnds() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let end = Timestamp(milliseconds: place.time.now.milliseconds + 60_000)
        try store.record(.muted(until: end, in: friends))
        #expect(try store.read { try $0.conversation(friends)?.isMuted } == true)
        place.time.move(byMilliseconds: 60_000)
        #expect(try store.read { try $0.conversation(friends)?.isMuted } == false)
        try store.close()
    }
}

extension TestingGuide {
    @Test func messageDisappears() async throws {
        let place = try TemporaryStore()
        let store = try await MessageStore.open(place.path, account: "me", configuration: place.configuration)
        try await store.record([
            .timerChanged(MessageTimer(seconds: 60), in: friends),
            .received("m1", from: "bob", in: friends, at: place.time.now, content: .text("gone soon")),
        ])
        place.time.move(byMilliseconds: 60_000)
        for try await page in store.observeTimeline(of: friends) where page.elements.isEmpty { break }
        try await store.close()
    }
}

extension TestingGuide {
    @Test func historyIsLate() async throws {
        let place = try TemporaryStore()
        let clock = ManualClock()
        let store = try place.open { configuration in
            configuration.clock = clock
            configuration.hooks.historyProvider = FakeHistoryProvider([], delay: .seconds(60), clock: clock)
            configuration.hooks.historyTimeout = .seconds(15)
        }
        let page = Task { [friends] in try await store.history(of: friends) }
        await clock.waitForSleeper(until: .seconds(15))
        clock.advance(by: .seconds(15))
        await #expect { try await page.value } throws: { ($0 as? StoreError)?.code == .hookFailed }
        try await store.close()
    }
}

extension TestingGuide {
    @Test func hooks() async throws {
        let place = try TemporaryStore()
        let profiles = FakeProfileProvider { users, call in
            guard call > 1 else { throw Refusal() }  // The first request fails.
            return users.map { Profile(id: $0, name: "Name of \($0)") }
        }
        let store = try place.open { configuration in
            configuration.hooks.profileProvider = profiles
            configuration.hooks.messageFilter = FakeMessageFilter(byText: { $0 == "spam" ? .hide : .keep })
        }
        try await store.record([
            .received("m1", from: "bob", in: friends, at: .now, content: .text("hello")),
            .received("m2", from: "eve", in: friends, at: .now, content: .text("spam")),
        ])
        #expect(try await store.read { try $0.timeline(of: friends).elements.map(\.text) } == ["hello"])
        try await store.close()
    }
}

extension TestingGuide {
    @Test func diskFull() throws {
        let place = try TemporaryStore()
        let faults = CommitFaults()
        let store = try place.open { faults.install(in: &$0) }
        faults.fail(next: 100)
        #expect { try store.record(.pinned(in: friends)) } throws: { ($0 as? StoreError)?.code == .diskFull }
        faults.fail(next: 0)
        try store.record(.pinned(in: friends))
        #expect(try store.events().count == 1)
        try store.close()
    }
}

/// The conversations that were ever pinned, with the time.
struct Pins: Projection {
    static let table = ProjectionTable<Pin, ConversationKey>("com.example.pins", "pins", key: "conversation")

    struct Pin: FieldGroup {
        var time: Timestamp

        static let field = Field<Timestamp>(1, "time")
        init(_ time: Timestamp) { self.time = time }
        init(from fields: inout some FieldDecoder) throws { time = try fields.decode(Self.field) }
        func encode(to fields: inout some FieldEncoder) throws { try fields.encode(time, for: Self.field) }
    }

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration("com.example.pins", version: 1, handles: [.conversationPinned], tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        guard let conversation = try event.conversation else { return }
        try rows.put(Pin(event.recordedTime), in: Self.table, at: conversation)
    }
}

extension TestingGuide {
    @Test func pins() throws {
        try ProjectionSpec(Pins()).check(given: [.pinned(in: friends), .pinned(in: .group("work"))]) { views throws in
            #expect(try views.rows(of: Pins.table).elements.count == 2)
        }
    }
}

/// A store with one conversation, for previews. It is removed with this value.
struct PreviewStore {
    let place: TemporaryStore
    let store: MessageStore

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
        let friends = ConversationKey.group("friends")
        let start = Timestamp(milliseconds: 1_700_000_000_000)
        try store.record([
            .received("m1", from: "bob", in: friends, at: start, content: .text("Are you coming?")),
            .queued(.text("On my way"), in: friends),
        ])
    }
}

extension TestingGuide {
    @Test func preview() throws {
        let preview = try PreviewStore()
        #expect(try preview.store.read { try $0.conversations().elements.count } == 1)
        try preview.store.close()
    }
}
