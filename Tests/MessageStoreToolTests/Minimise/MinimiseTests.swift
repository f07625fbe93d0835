import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

@testable import MessageStoreTool

/// The mentions of the account by a host's projection, one of whose rules is wrong.
private struct WrongMentions: Projection {
    static let id: ProjectionID = "com.example.mentions"
    static let open = ProjectionTable<MentionCount, ConversationKey>(id, "open", key: "conversation")
    enum Rule { case everyone, own, right }
    let rule: Rule

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: 1, handles: [.messageReceived, .conversationRead], tables: Self.open)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        guard let conversation = try event.conversation else { return }
        guard event.type == .messageReceived else { return try rows.remove(from: Self.open, at: conversation) }
        let isCounted =
            switch rule {
            case .everyone: event.mentionsAccount
            case .own: event.isOutgoing
            case .right:
                try !event.isOutgoing && event.mentionsAccount
                    && event.payload(MessageReceived.self)?.context.mentionsEveryone == false
            }
        if isCounted { try rows.put(MentionCount(1), in: Self.open, at: conversation) }
    }
}

private struct MentionCount: DeclaredFields {
    var count: UInt64
    static let fieldList = FieldList(Self.init, FieldOf(1, "count", \Self.count))
    init(_ count: UInt64) { self.count = count }
}

@Suite("messagestore minimise", .timeLimit(.minutes(30)))
struct MinimiseTests {
    private static let faults = TestSize.of(
        plain: [PlantedLog.Fault.markerAhead, .removedMember, .deletedMessage, .everyonesMention],
        full: [
            .markerAhead, .muteByFastClock, .removedMember, .editByOther, .wrongRecall, .clearedHistory, .countTooHigh,
            .oldProfile, .receiptAhead, .deletedMessage, .ownMention, .everyonesMention,
        ])
    /// Faults whose condition is true of shorter logs as well.
    private static let needsCause: Set<PlantedLog.Fault> = [
        .removedMember, .clearedHistory, .oldProfile, .deletedMessage, .removedAccount,
    ]

    @Test("at most ten events are left, the planted one among them", arguments: faults, [1] as [UInt64])
    func smallest(fault: PlantedLog.Fault, seed: UInt64) throws {
        let place = try ToolPlace()
        let planted = try PlantedLog(
            fault, seed: seed, events: TestSize.of(plain: 500, full: 3_000), at: place.store)
        var configuration = MessageStore.Configuration.ofTests
        configuration.projections = [WrongMentions(rule: fault == .everyonesMention ? .everyone : .own)]
        try MessageStoreCommand.$configuration.withValue(configuration) {
            let store = try MessageStore.openReadOnly(place.store, configuration: configuration)
            let last = try store.lastPosition()
            var minimisation = try Minimisation(
                Condition(planted.condition, in: store), in: store, through: last,
                because: Self.needsCause.contains(fault) ? planted.planted : nil, limit: nil
            ) { _ in }
            try minimisation.run()
            let left = minimisation.kept.indices.map { minimisation.log.events[$0] }
            #expect(left.count <= 10)
            #expect(left.contains { $0.position == planted.planted })
            #expect(minimisation.isComplete)
            let holds = try minimisation.withCopy { try $0.holds() }
            #expect(holds)
            var again = try Minimisation(
                Condition(planted.condition, in: store), in: store, through: last,
                because: Self.needsCause.contains(fault) ? planted.planted : nil, limit: nil
            ) { _ in }
            try again.run()
            if fault == .ownMention || fault == .everyonesMention {
                configuration.projections = [WrongMentions(rule: .right)]
                let isWrong = try MessageStoreCommand.$configuration.withValue(configuration) {
                    try minimisation.withCopy { try $0.holds() }
                }
                #expect(!isWrong, "the test passes once the rule is right")
            }
            #expect(again.kept == minimisation.kept && again.replays == minimisation.replays)
            try store.close()
        }
    }

    @Test("the messages that the cause names stay with it, and a message in a conversation is one of this conversation")
    func named() throws {
        let place = try ToolPlace()
        let team = ConversationKey.group("team")
        let messages = (1...3 as ClosedRange<Int64>).map { number in
            Event.received(
                ServerMessageID("m\(number)"), from: "bob", in: team, at: Timestamp(milliseconds: number * 10),
                content: .text("words"))
        }
        let order = MessageOrder(time: Timestamp(milliseconds: 10), id: "m1")
        try place.record(messages + [Event(ConversationRead(upTo: order), in: team)])
        let store = try MessageStore.openReadOnly(place.store, configuration: .ofTests)
        var minimisation = try Minimisation(
            Condition("readUpTo(team) >= 1970-01-01T00:00:00.010Z", in: store), in: store, through: Position(4),
            because: Position(4), limit: nil
        ) { _ in }
        try minimisation.run()
        #expect(minimisation.kept.indices == [0, 3])
        let condition = try Condition("exists(team, m2)", in: store)
        for isMoved in [false, true] {
            let session = try store.replaySession { recorded in
                guard isMoved, recorded.position == Position(2),
                    let payload = recorded.event.payload as? MessageReceived
                else { return [recorded.event] }
                return [Event(payload, in: .single("bob"), origin: recorded.event.origin)]
            }
            let holds = try session.read(at: Position(4)) { try condition.holds(condition.values($0)) }
            #expect(holds == !isMoved)
        }
        try store.close()
    }
}
