import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

@testable import MessageStoreTool

/// The mentions of the account by a host's projection, one of whose rules is wrong.
private struct WrongMentions: Projection {
    static let id: ProjectionID = "com.example.mentions"
    static let open = ProjectionTable<MentionCount, ConversationKey>(id, "open", key: "conversation")
    let countsEveryone: Bool

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: 1, handles: [.messageReceived, .conversationRead], tables: Self.open)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        guard let conversation = try event.conversation else { return }
        guard event.type == .messageReceived else { return try rows.remove(from: Self.open, at: conversation) }
        let isCounted = countsEveryone ? event.mentionsAccount : event.isOutgoing
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
    private static let faults: [PlantedLog.Fault] = [
        .markerAhead, .muteByFastClock, .removedMember, .editByOther, .wrongRecall, .clearedHistory, .countTooHigh,
        .oldProfile, .receiptAhead, .deletedMessage, .ownMention, .everyonesMention,
    ]
    /// Faults whose condition is true of shorter logs as well.
    private static let needsCause: Set<PlantedLog.Fault> = [
        .removedMember, .clearedHistory, .oldProfile, .deletedMessage, .removedAccount,
    ]

    @Test("at most ten events are left, the planted one among them", arguments: faults, [1] as [UInt64])
    func smallest(fault: PlantedLog.Fault, seed: UInt64) throws {
        let place = try ToolPlace()
        let planted = try PlantedLog(
            fault, seed: seed, events: TestSize.of(plain: 1_500, full: 5_000), at: place.store)
        var configuration = MessageStore.Configuration()
        configuration.projections = [WrongMentions(countsEveryone: fault == .everyonesMention)]
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
            try store.close()
        }
    }
}
