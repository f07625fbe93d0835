import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// What a server's backlog says is the same in whatever order, packages and repetitions it comes.
@Suite("I3, I4, I6: the order of arrival does not matter")
struct PermutationTests {
    enum Arrival: CaseIterable { case shuffled, repeated, splitAnew, restarted, live }

    private static let kinds: [ConversationKey] = [.single("u1"), .group("g1"), .group("g2"), .group("g3")]

    @Test(
        "packages shuffled, repeated, split anew or broken by restarts give the same views",
        arguments: Arrival.allCases, Seeds.first(2))
    func sameViews(arrival: Arrival, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var backlog = Backlog(seed: seed, conversations: Self.kinds)
        let events = (0..<240).map { _ in backlog.next() }
        let packages = events.chunks(of: 20)
        let expected = try answers(after: packages, restarts: false)
        var arriving = packages
        switch arrival {
        case .shuffled: arriving.shuffle(using: &random)
        case .repeated:
            arriving += packages.filter { _ in random.chance(0.5) }
            arriving.shuffle(using: &random)
        case .splitAnew: arriving = events.shuffled(using: &random).chunks(of: 1 + random.nextIndex(50))
        case .restarted: arriving.shuffle(using: &random)
        case .live: arriving = events.chunks(of: 1)
        }
        let got = try answers(after: arriving, restarts: arrival == .restarted)
        let differences = got.difference(from: expected).map { "\($0)" }
        #expect(differences == [], "seed \(seed)")
    }

    /// Everything that a store says of the conversations, without what its own order of recording decides.
    private func answers(after packages: [[Event]], restarts: Bool) throws -> [String] {
        let place = try TemporaryStore()
        var answers: [String] = []
        try place.withStore { store throws in
            try store.record(Event(OfflineSyncStarted(), origin: .offline))
        }
        for part in restarts ? packages.chunks(of: 3) : [packages] {
            try place.withStore { store throws in
                for (index, events) in part.enumerated() {
                    try store.ingest(OfflinePackage(index: UInt32(index), events: events, hasMore: true))
                }
            }
        }
        try place.withStore { store throws in
            try store.record(Event(OfflineSyncCompleted(), origin: .offline))
            #expect(try store.isConsistent())
            answers = try store.read { views in
                var answers = ["totals \(try views.unreadTotals(includesMuted: true))"]
                answers.append("list \(try views.conversations().elements.map(\.key))")
                for key in Self.kinds { answers += try Self.describe(key, views) }
                return answers
            }
        }
        return answers
    }

    private static func describe(_ key: ConversationKey, _ views: borrowing Views) throws -> [String] {
        let page = try views.timeline(of: key, limit: 1000)
        let conversation = try views.conversation(key)
        let last = try conversation?.lastMessage.flatMap { try views.message($0.id)?.serverID }
        var answers = [
            "\(key) unread \(try views.unread(of: key)) last \(String(describing: last)) at \(String(describing: conversation?.activity))",
            "\(key) whole \(page.isContiguous) \(page.hasGapBefore) \(page.hasGapAfter) \(page.reachesBeginning)",
        ]
        for message in page.elements {
            let id = try #require(message.serverID)
            let receipts = try views.receipts(of: .server(id), in: key)
            answers.append(
                """
                \(key) \(id) \(message.content) \(message.status) \(message.flags) \(message.isRecalled) \
                \(message.isModified) \(String(describing: message.deliveredTime)) \(String(describing: message.readTime)) \
                \(try views.reactions(to: .server(id), in: key)) \
                \(try views.metadata(of: .server(id), in: key).sorted { $0.key < $1.key }) \(receipts)
                """)
        }
        return answers
    }
}

/// A seeded backlog: messages with what a server tells of them, each fact with a time of its own.
private struct Backlog {
    private var random: SplitMix64
    private let conversations: [ConversationKey]
    private var time: Int64 = 1_000
    private var messages = 0

    init(seed: UInt64, conversations: [ConversationKey]) {
        random = SplitMix64(seed: ~seed)
        self.conversations = conversations
    }

    mutating func next() -> Event {
        time += 7
        let key = conversations[random.nextIndex(conversations.count)]
        let at = Timestamp(milliseconds: time)
        let known = MessageReference.server(ServerMessageID("m\(random.nextIndex(120))"))
        let body: any EventPayload
        switch random.nextIndex(16) {
        case 0: body = MessageRecalled(known)
        case 1: body = MessageModified(known, content: .text("edit \(time)"), at: at)
        case 2: body = MessageDelivered(.messages([known]), to: "u2", at: at)
        case 3: body = MessageReadByPeer(.upTo(Timestamp(milliseconds: time / 2)), by: "u3", at: at)
        case 4:
            body = MessageStatusFlagsSet([known], flags: random.chance(0.5) ? .read : .retrieved)
        case 5: body = ReactionAdded(known, key: "👍", by: UserID("u\(random.nextIndex(3))"), at: at)
        case 6: body = ReactionRemoved(known, key: "👍", by: UserID("u\(random.nextIndex(3))"), at: at)
        case 7: body = MessageMetadataChanged(known, set: ["k": "\(time)"], at: at)
        case 8: body = ConversationRead(upTo: MessageOrder(time: Timestamp(milliseconds: time / 3)))
        default: body = message(at)
        }
        return Event(any: body, in: key, origin: .offline)
    }

    private mutating func message(_ at: Timestamp) -> MessageReceived {
        messages += 1
        let sender: UserID = random.chance(0.2) ? "me" : UserID("u\(random.nextIndex(4))")
        return MessageReceived(
            serverID: ServerMessageID("m\(messages)"), sender: sender, sentTime: at,
            content: .text("words \(time)"), context: MessageContext(mentionsEveryone: random.chance(0.1)))
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
