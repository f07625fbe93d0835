import MessageStoreLMDB
import MessageStoreSharing
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

/// Says how far it has come.
private struct Announcing: LaggingProjection {
    static let id: ProjectionID = "com.example.announcing"
    let version: UInt32 = 1
    let minimumLag = 1
    let reached: Watched<Position>

    func apply(_ positions: ClosedRange<Position>, in views: borrowing Views, to rows: borrowing LaggingRows) throws {
        reached.change { $0 = positions.upperBound }
    }
}

@Suite("What happens to the log, and who hears of it", .timeLimit(.minutes(30)))
struct LogSignalTests {
    enum Change: CaseIterable {
        case record, recordVisibly, ingest, restore, redact, erase, cut, compact, rebuild, resume
    }

    /// What a list shows.
    private static func answer(_ views: borrowing Views) throws -> [String] {
        try views.conversations().elements.map { "\($0.key) \($0.unread.messages) \($0.lastMessage?.text ?? "")" }
    }

    private func make(_ change: Change, in store: MessageStore) async throws {
        switch change {
        case .record: try await store.record(received("d", at: 4, text: "four"))
        case .recordVisibly: try await store.record([received("d", at: 4, text: "four")], acknowledgement: .visible)
        case .ingest:
            let kept = received("d", at: 4, text: "four", origin: .offline)
            try await store.ingest(OfflinePackage(index: 0, events: [kept], hasMore: false))
        case .restore:
            let events = try TemporaryStore().withStore { other in
                try other.record([received("d", at: 4, text: "four"), received("e", at: 5, text: "five")])
                return try other.events()
            }
            try await store.appendRecorded(events)
        case .redact: try await store.redact(Position(3))
        case .erase: try await store.erase(.conversations([peer]))
        case .cut:
            try await store.record(Event(HistoryCleared(upTo: order(3, "c"), erases: true), in: group))
            #expect(try await store.compact().cutEvents > 0)
        case .compact: try await store.compact()
        case .rebuild: try await store.rebuild()
        case .resume:
            try await store.suspend()
            try await store.resume()
        }
    }

    @Test(
        "each change wakes a live query, a tail, a subscription, a lagging projection and the lens, and none gets a value twice",
        arguments: Change.allCases)
    func everyone(change: Change) async throws {
        let place = try TemporaryStore()
        let (reached, looks) = (Watched(Position.origin), Watched<[Position]>([]))
        let path = place.directory + "/lens"
        let store = try place.open {
            var lens = LensConfiguration(path: path)
            lens.values = { views in
                looks.change { $0.append(views.position) }
                return [:]
            }
            $0.processes.lens = lens
            $0.clock = ContinuousClock()
            $0.laggingProjections = [Announcing(reached: reached)]
            $0.durability.groupCommit.delay = .milliseconds(500)
        }
        if change != .restore {
            try await store.record([
                received("a", at: 1, in: peer, text: "one"), received("b", at: 2, text: "two"),
                received("c", at: 3, text: "three"),
            ])
        }
        let first = try store.lastPosition()
        let (queries, tail) = (Follower(store.observe { try Self.answer($0) }), Follower(store.tail(after: .origin)))
        let subscriber = TestSubscriber()
        let subscription = try store.subscribe(subscriber, from: .beginning)
        var shown = try await queries.next()
        #expect(try await store.read(Self.answer) == shown)
        var followed: [Position] = []
        while followed.last ?? .origin < first { followed.append(try #require(try await tail.next()).position) }
        await subscription.reaches(first.rawValue)
        await looks.wait { $0.last == first }
        let before = looks.value.count

        try await make(change, in: store)
        for isAgain in [false, true] {
            if isAgain { try await store.record(received("z", at: 9, text: "nine")) }
            let (last, fresh) = try await (store.lastPosition(), store.read(Self.answer))
            while shown != fresh {
                let next = try await queries.next()
                #expect(next != shown)
                shown = next
            }
            while followed.last ?? .origin < last { followed.append(try #require(try await tail.next()).position) }
            await subscription.reaches(last.rawValue)
            await reached.wait { $0 >= last }
            // A compaction that cuts nothing off changes no answer.
            await looks.wait { ($0.count > before || change == .compact) && $0.last == last }
        }
        let last = try store.lastPosition()
        #expect(
            followed.map(\.rawValue) == Array(1...last.rawValue) && subscriber.positions == followed.map(\.rawValue))
        try await store.run(on: #require(store.lens).worker.queue) {}
        let (badge, unread) = try await store.read {
            (try $0.unreadTotals().badge, try $0.conversations().elements.map(\.unread.messages))
        }
        let lens = try Lens(at: path, key: TemporaryStore.key)
        #expect(lens.position == last && lens.badge == badge && lens.conversations.map(\.unreadMessages) == unread)
        try await store.close()
    }

    @Test("who waits for the completion of a sync is woken by what may complete one, and by nothing else")
    func completion() async {
        let signal = LogSignal()
        signal.note(.recorded, completesSync: false)
        let (completions, generation) = (signal.completions, signal.generation)
        async let completed = signal.waitForCompletion(after: completions)
        let unrelated = Task { await signal.waitForCompletion(after: completions) }
        await MessageStore.letOthersRun()
        async let changed = signal.wait(after: generation)
        signal.note(.recorded, completesSync: false)
        #expect(await changed)
        #expect(signal.completions == completions && signal.generation == generation + 1)
        unrelated.cancel()
        #expect(await !unrelated.value, "the change completed nothing, and woke nobody who waits for a completion")
        signal.note(.recorded, completesSync: true)
        #expect(await completed)
        // A change of another kind may hide a completion.
        #expect(await signal.waitForCompletion(after: completions))
        let seen = signal.completions
        signal.note(.rewritten)
        #expect(await signal.waitForCompletion(after: seen))
        let last = signal.completions
        let cancelled = Task { await signal.waitForCompletion(after: last) }
        cancelled.cancel()
        #expect(await !cancelled.value)
        async let ended = signal.waitForCompletion(after: last)
        signal.finish()
        #expect(await !ended)
    }
}
