import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreProjections
@testable import MessageStoreTestSupport

@Suite("Folds say what they decide against events", .timeLimit(.minutes(30)))
struct FoldReportTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private static let day: Int64 = 86_400_000

    private func loss(
        to winner: UInt64, _ winnerTime: Timestamp, _ time: Timestamp, told: Timestamp? = nil, isDifferent: Bool = true
    ) -> FoldReport.Decision {
        .lost(
            FoldReport.Loss(
                winner: Position(winner), winnerTime: winnerTime, winnerNamedTime: told ?? winnerTime, time: time,
                isDifferent: isDifferent))
    }

    private func decisions(_ session: ReplaySession, at position: UInt64) throws -> [FoldReport.Decision] {
        try session.reports(at: Position(position)).map(\.decision)
    }

    @Test("choices, marks, edits and receipts that lost, by the time that counts; what is capped and what is parked")
    func decisions() throws {
        let now = place.time.now
        func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + milliseconds) }
        func told(_ payload: any EventPayload) -> Event { Event(any: payload, in: group, origin: .otherDevice) }
        let cap = at(Self.day)
        let store = try place.open()
        try store.record([
            received("a", at: now.milliseconds), told(ConversationPinned(true, at: at(3))),
            told(ConversationPinned(false, at: at(2))), told(ConversationPinned(true, at: at(3))),
            told(ConversationTimerChanged(MessageTimer(seconds: 9), at: at(2 * Self.day))),
            told(ConversationTimerChanged(.off, at: at(5))), told(MessageStarred(.server("a"), true, at: at(2))),
            told(MessageStarred(.server("a"), false, at: at(1))),
            .modified(.server("a"), content: .text("new"), in: group, at: at(2), origin: .live),
            .modified(.server("a"), content: .text("old"), in: group, at: at(1), origin: .live),
            .readByPeer(.upTo(at(2)), by: "bob", in: group, at: at(2)),
            told(MessageDelivered(.upTo(at(1)), to: "bob", at: at(1))),
            .readByPeer(.upTo(at(1)), by: "ann", in: group, at: at(1)),
            .recalled(.server("b"), in: group, origin: .live),
            // One of two tags holds.
            told(ConversationTagged(add: ["x"], at: at(2))), told(ConversationTagged(add: ["x", "y"], at: at(1))),
            told(ConversationRead()), told(ConversationRead(upTo: MessageOrder(time: at(2 * Self.day)))),
        ])
        let session = try store.replaySession()
        let expected: [UInt64: [FoldReport.Decision]] = [
            3: [loss(to: 2, at(3), at(2))], 4: [loss(to: 2, at(3), at(3), isDifferent: false)],
            5: [.capped(at(2 * Self.day), to: cap)], 6: [loss(to: 5, cap, at(5), told: at(2 * Self.day))],
            8: [loss(to: 7, at(2), at(1))], 10: [loss(to: 9, at(2), at(1))], 12: [loss(to: 11, at(2), at(1))],
            14: [.parked], 18: [.capped(at(2 * Self.day), to: cap)],
        ]
        // Twice, and going back: what is folded again is not reported again.
        for position in [18, 3, 18, 8] { try session.read(at: Position(UInt64(position))) { _ in } }
        for position in 1...18 as ClosedRange<UInt64> {
            #expect(try decisions(session, at: position) == expected[position] ?? [], "at \(position)")
        }
        #expect(try session.reports(at: Position(3)).map(\.projection) == [.settings])
        #expect(throws: StoreError.self) { try session.reports(at: Position(19)) }
        // Without the choice that holds, another one does.
        let without = try store.replaySession { $0.position == Position(2) ? [] : [$0.event] }
        #expect(try decisions(without, at: 3) == [] && decisions(without, at: 8) == expected[8])
        try store.close()
    }

    @Test("a host's projection says why to a session, and nobody asks it while events are recorded or rebuilt")
    func host() throws {
        let votes = Votes()
        let store = try place.open { $0.projections = [votes] }
        try store.record([starred("a", at: 2), starred("a", at: 1), starred("a", at: 3), starred("b", at: 1)])
        try store.rebuild()
        #expect(votes.asked.withLock { $0 } == 0)
        let session = try store.replaySession()
        #expect(try decisions(session, at: 2) == [.said("another vote is later")])
        #expect(try session.reports(at: Position(2)).map(\.projection) == [Votes.id])
        for position in [1, 3, 4] as [UInt64] { #expect(try decisions(session, at: position) == []) }
        #expect(votes.asked.withLock { $0 } == 1)
        try store.close()
    }
}

/// Keeps the latest vote for each message.
private final class Votes: Projection {
    static let id: ProjectionID = "com.example.votes"
    static let votes = ProjectionTable<Star, ServerMessageID>(id, "votes", key: "serverID")
    let asked = Locked(0)

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(Self.id, version: 1, handles: [.reactionAdded], tables: Self.votes)
    }

    private func words() -> String {
        asked.withLock { $0 += 1 }
        return "another vote is later"
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        guard case .server(let message) = try event[ReactionAdded.message], let user = try event.actor else { return }
        let vote = Star(user: user, time: try event[ReactionAdded.time])
        if let known = try rows.row(of: Self.votes, at: message), known.time > vote.time {
            return rows.report(words())
        }
        try rows.put(vote, in: Self.votes, at: message)
    }
}
