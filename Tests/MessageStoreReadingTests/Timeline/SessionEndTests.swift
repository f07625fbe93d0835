import Testing
@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("d27: what arrives when the session is over continues no stretch")
struct SessionEndTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private static let ends: [SessionState?] = [.disconnected, .suspended, .closed, .kicked, nil]

    private func session(_ state: SessionState) -> Event { Event(SessionStateChanged(state)) }
    private let completed = Event(OfflineSyncCompleted(), origin: .offline)
    private let started = Event(OfflineSyncStarted(), origin: .offline)

    private func offline(_ id: ServerMessageID, at time: Int64, from sender: UserID = "bob") -> Event {
        received(id, at: time, from: sender, origin: sender == "me" ? .otherDevice : .offline)
    }

    /// A store with two messages of a session that is over: by a change of the connection, or because the process ended.
    private func afterSession(_ end: SessionState?) throws -> MessageStore {
        let store = try place.open()
        try store.record([session(.connected), received("m1", at: 1), received("m2", at: 2)])
        #expect(try store.page().isContiguous)
        guard let end else {
            try store.close()
            return try place.open()
        }
        try store.record(session(end))
        return store
    }

    @Test("a message that comes then may have others before it, live or handed over", arguments: ends, [false, true])
    func later(end: SessionState?, isHandedOver: Bool) throws {
        let store = try afterSession(end)
        try store.record([received("m9", at: 9)], closing: nil, .durable, isHandedOver: isHandedOver)
        #expect(try store.page(.before(.message(.server("m9")))).isContiguous)
        #expect(try !store.page(limit: 2).isContiguous && store.page().hasGapAfter)
        #expect(try store.unread().isLowerBound)
        // The next session does not know either, but for what comes live in it.
        try store.record([session(.connected), received("m10", at: 10), received("m11", at: 11)])
        #expect(try store.page(limit: 2).isContiguous && !store.page(limit: 3).isContiguous)
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test(
        "a complete sync proves that nothing is missing, also where it delivers nothing new", arguments: ends,
        [false, true])
    func synced(end: SessionState?, deliversMore: Bool) throws {
        let store = try afterSession(end)
        try store.record([received("m9", at: 9)], closing: nil, .durable, isHandedOver: true)
        try store.record([session(.connected), started])
        var events = [offline("m9", at: 9)]
        if deliversMore {
            events = (3...8).map { offline("m\($0)", at: Int64($0)) } + events + [offline("m10", at: 10)]
        }
        try store.ingest(OfflinePackage(index: 0, events: events, hasMore: false))
        try store.record(completed)
        #expect(try store.page().isContiguous && !store.page().hasGapAfter)
        try store.record(received("m11", at: 11))
        #expect(try store.page().isContiguous && !store.unread().isLowerBound)
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("the end of a session precedes a package without events, too")
    func emptyPackage() throws {
        let store = try afterSession(nil)
        try store.ingest(OfflinePackage(index: 0, events: [], hasMore: true))
        try store.record([received("m3", at: 3)])
        try store.record(completed)
        let types = try store.events(limit: .max).suffix(4).map { "\($0.event.type)" }
        #expect(types == ["SessionStateChanged", "OfflinePackageReceived", "MessageReceived", "OfflineSyncCompleted"])
        #expect(try store.page().isContiguous)
        try store.close()
    }

    @Test("what another process hands over in a session ends the stretch until a live message follows")
    func handedOverInSession() throws {
        try withTemporaryStore { store throws in
            try store.record([session(.connected), received("m1", at: 1)])
            try store.record([received("m9", at: 9, origin: .offline)], closing: nil, .durable, isHandedOver: true)
            #expect(try !store.page().isContiguous)
            try store.record(received("m10", at: 10))
            #expect(try store.page().isContiguous, "both were live in one session")
        }
    }

    @Test("a live message that overtakes a sync waits for its end", arguments: [false, true])
    func overtaking(completes: Bool) throws {
        try withTemporaryStore { store throws in
            try store.record([session(.connected), received("m1", at: 1), session(.connected), started])
            try store.record(offline("m2", at: 2))
            try store.record([received("m8", at: 8), received("m9", at: 9)])
            #expect(try store.page(limit: 2).isContiguous && !store.page(limit: 3).isContiguous)
            try store.ingest(OfflinePackage(index: 0, events: [offline("m3", at: 3)], hasMore: false))
            try store.record(completes ? completed : session(.disconnected))
            #expect(try store.page().isContiguous == completes)
        }
    }

    @Test("a live message that overtakes a sync does not follow what the sync delivered above an older head")
    func overtakingDelivered() throws {
        try withTemporaryStore { store throws in
            try store.record([session(.connected), started, received("m7", at: 7), session(.disconnected)])
            try store.record([session(.connected), started])
            let events = [offline("m3", at: 3), offline("m9", at: 9)]
            try store.ingest(OfflinePackage(index: 0, events: events, hasMore: true))
            try store.record([received("m15", at: 15), received("m16", at: 16)])
            #expect(try store.page(limit: 2).isContiguous && !store.page(limit: 3).isContiguous)
            let missed = (10...14).map { offline("m\($0)", at: Int64($0)) }
            try store.ingest(OfflinePackage(index: 1, events: missed, hasMore: false))
            try store.record(completed)
            #expect(try store.page().isContiguous)
        }
    }

    @Test("an own message of another device in a package leaves no gap in a complete sync", arguments: [false, true])
    func otherDevice(isStarted: Bool) throws {
        try withTemporaryStore { store throws in
            try store.record([session(.connected), received("m1", at: 1), session(.disconnected), session(.connected)])
            if isStarted { try store.record(started) }
            let events = [offline("o2", at: 2, from: "me"), offline("m3", at: 3), offline("o4", at: 4, from: "me")]
            try store.ingest(OfflinePackage(index: 0, events: events, hasMore: true))
            #expect(try store.page().isContiguous)
            try store.ingest(OfflinePackage(index: 1, events: [offline("o5", at: 5, from: "me")], hasMore: false))
            try store.record(completed)
            #expect(try store.page().isContiguous && !store.page().hasGapAfter)
        }
    }

    @Test("an own message that the server accepts in a later session may follow others")
    func acknowledged() throws {
        try withTemporaryStore { store throws in
            try store.record([session(.connected), received("m1", at: 1), session(.closed), session(.connected)])
            let local = try #require(try store.record(queued("own")).position.map { LocalMessageID($0.rawValue) })
            try store.record([sent(local, "s5", at: 5), received("m6", at: 6)])
            #expect(try store.page(limit: 2).isContiguous && !store.page().isContiguous)
            try store.record([started, offline("m3", at: 3), completed])
            #expect(try store.page().isContiguous)
        }
    }

    @Test("the end of the process is recorded once, before what the next one records first", arguments: [false, true])
    func interrupted(isResumed: Bool) throws {
        let store = try place.open()
        try store.record([session(.connected), received("m1", at: 1)])
        var next = store
        if isResumed {
            try store.suspend()
            try store.resume()
        } else {
            try store.close()
            next = try place.open()
        }
        #expect(try next.lastPosition().rawValue == 2, "an opening records nothing")
        try next.record(received("m2", at: 2))
        try next.record(received("m3", at: 3))
        let states = try next.events().compactMap { ($0.event.payload as? SessionStateChanged)?.state }
        #expect(states == [.connected, .interrupted])
        #expect(try next.read { try $0.session() }?.state == .connected, "as the host recorded it")
        try next.record([session(.disconnected)])
        try next.close()
        let last = try place.open()
        try last.record(received("m4", at: 4))
        #expect(try last.events().count == 7, "a session that had ended does not end again")
        try last.close()
    }

    @Test("a host that begins a session first, or that records none, gets no event of the store's")
    func notInterrupted() throws {
        try place.withStore { store throws in try store.record([started, received("m1", at: 1), completed]) }
        try place.withStore { store throws in try store.record(received("m2", at: 2)) }
        try place.withStore { store throws in try store.record(session(.connected)) }
        try place.withStore { store throws in
            try store.record([session(.connected), received("m3", at: 3)])
            #expect(try !store.events().contains { ($0.event.payload as? SessionStateChanged)?.state == .interrupted })
            #expect(try store.page(limit: 2).isContiguous == false)
            #expect(try store.page(.before(.message(.server("m3")))).isContiguous, "of syncs alone, as before")
        }
    }
}
