import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreLog
@testable import MessageStoreTestSupport

@Suite("I16: retention keeps what is starred or pinned", .timeLimit(.minutes(30)))
struct MarkedRetentionTests {
    private static let secret = SecretFiles.secret
    private let place: TemporaryStore
    private let store: MessageStore

    init() throws {
        place = try TemporaryStore()
        store = try place.open {
            $0.automaticCompaction = nil
            $0.clock = ManualClock()
        }
        try store.record((1...20).map { received("m\($0)", at: Int64($0), text: "m\($0) \(Self.secret)") })
        try store.record(read())
    }

    private static func starred(_ id: ServerMessageID, _ isStarred: Bool = true) -> Event {
        Event(MessageStarred(.server(id), isStarred), in: group)
    }

    private static func pinned(_ id: ServerMessageID, _ isPinned: Bool = true) -> Event {
        Event(MessagePinned(.server(id), isPinned), in: group)
    }

    @discardableResult
    private func retain(_ messages: Int, includesMarked: Bool = false) throws -> RetentionReport {
        var policy = RetentionPolicy()
        policy.standard.messages = messages
        policy.includesMarked = includesMarked
        let planned = try store.retain(policy, isDryRun: true)
        let report = try store.retain(policy)
        #expect(report == planned)
        return report
    }

    private func ids(_ part: TimelinePart = .latest, limit: Int = 1000) throws -> [String] {
        try store.page(part, limit: limit).elements.map { $0.serverID?.rawValue ?? "" }
    }

    /// Rows that were folded one by one are those of a rebuild, before and after a compaction, and nothing else has the
    /// words of what went.
    private func finish(_ left: [String]) throws {
        for _ in 1...2 {
            #expect(try ids() == left && store.isConsistent())
            let digests = try store.digests()
            try store.rebuild()
            #expect(try store.digests() == digests)
            #expect(try store.compact().isErasureComplete)
        }
        try store.close()
        let again = try place.open()
        #expect(try again.page().elements.map { $0.serverID?.rawValue ?? "" } == left)
        let words = try again.events().filter { "\($0.event)".contains(Self.secret) }.map(\.position)
        let shown = try again.page().texts.count { $0.contains(Self.secret) }
        #expect(words.count == shown)
        try again.close()
    }

    @Test("a star or a pin keeps its message alone; the report counts them, and every list has them")
    func kept() throws {
        try store.record(Self.starred("m2"), Self.pinned("m4"), Self.starred("m18"), Self.starred("m3"))
        try store.record(Self.starred("m3", false), Self.pinned("m5"), Self.pinned("m5", false))
        let counts = try store.unread()
        let report = try retain(5)
        // The newest five that have no mark, and what is marked.
        let left = ["m2", "m4", "m15", "m16", "m17", "m18", "m19", "m20"]
        #expect(report.messageCount == 12 && report.keptAsMarked == 2)
        #expect(try ids() == left)
        for limit in 1...8 {
            #expect(try ids(.latest, limit: limit) == Array(left.suffix(limit)))
            var (older, part) = ([String](), TimelinePart.latest)
            while true {
                let page = try store.page(part, limit: limit)
                older = page.elements.compactMap { $0.serverID?.rawValue } + older
                guard page.hasOlder, let first = page.elements.first else { break }
                part = .before(.message(.local(first.id)))
            }
            #expect(older == left, "\(limit)")
        }
        #expect(try ids(.after(.message(.server("m2"))), limit: 2) == ["m4", "m15"])
        #expect(try ids(.around(.message(.server("m4"))), limit: 4) == ["m2", "m4", "m15", "m16"])
        #expect(try store.page(.before(.message(.server("m2")))).elements.isEmpty)
        #expect(try store.message("m2")?.content.text == "m2 \(Self.secret)")
        #expect(try store.message("m3") == nil)
        let marked = try store.read { views in
            try (views.starredMessages(in: group).elements + views.pinnedMessages(in: group).elements).map(\.message)
        }
        #expect(Set(marked.compactMap { $0.serverID?.rawValue }) == ["m2", "m4", "m18"])
        #expect(try store.unread() == counts)
        #expect(try retain(5).messageCount == 0)
        try finish(left)
    }

    @Test("the last message of a conversation may be one that was kept")
    func list() throws {
        try store.record(Self.starred("m2"))
        try store.record(Event(HistoryCleared(upTo: order(20, "m20"), erases: true, kept: [.server("m2")]), in: group))
        #expect(try store.conversation()?.lastMessage?.content?.text == "m2 \(Self.secret)")
        #expect(try store.record(received("m2", at: 2, text: "again")).duplicates == 1)
        try store.record(received("m21", at: 21, text: "new"))
        #expect(try store.conversation()?.lastMessage?.content?.text == "new")
        try store.record(deleted("m21"))
        #expect(try store.conversation()?.lastMessage?.content?.text == "m2 \(Self.secret)")
        try finish(["m2"])
    }

    @Test("a policy may include them")
    func included() throws {
        try store.record(Self.starred("m2"), Self.pinned("m4"))
        #expect(try retain(5, includesMarked: true).keptAsMarked == 0)
        try finish((16...20).map { "m\($0)" })
    }

    @Test("a star that is taken away does not remove its message; the next retention does")
    func unstarred() throws {
        try store.record(Self.starred("m2"), Self.starred("m4"), Self.pinned("m6"))
        #expect(try retain(10).messageCount == 7)
        try store.record(Self.starred("m4", false))
        #expect(try ids().prefix(3) == ["m2", "m4", "m6"])
        // The one that goes is below the floor, and so is one that stays above it.
        #expect(try retain(10).messageCount == 1)
        #expect(try ids().prefix(3) == ["m2", "m6", "m11"])
        try store.compact()
        try store.record(Self.pinned("m6", false))
        #expect(try retain(9).messageCount == 2)
        let left = ["m2"] + (12...20).map { "m\($0)" }
        #expect(try store.events(where: EventFilter(types: [.historyCleared])).count == 3)
        #expect(try store.compact().cutEvents > 0)
        // The last event says all.
        #expect(try store.events(where: EventFilter(types: [.historyCleared])).count == 1)
        try finish(left)
    }

    enum Removal: CaseIterable {
        case recall, deletion, clearing, wholeClearing, retention, conversation

        var event: Event {
            switch self {
            case .recall: recalled("m2")
            case .deletion: Event(MessagesDeleted([.server("m2")], erases: true), in: group)
            case .clearing: Event(HistoryCleared(upTo: order(5), erases: true), in: group)
            case .wholeClearing: Event(HistoryCleared(erases: true, kept: [.server("m2")]), in: group)
            case .retention: Event(HistoryCleared(upTo: order(2, "m2"), erases: true, isRetention: true), in: group)
            case .conversation: Event(ConversationDeleted(alsoMessages: true, erases: true), in: group)
            }
        }
    }

    @Test("what was kept goes as any other: recalled, deleted or cleared", arguments: Removal.allCases)
    func removed(by removal: Removal) throws {
        try store.record(Self.starred("m2"), modified("m2", "edited \(Self.secret)", at: 30))
        try retain(5)
        #expect(try store.message("m2")?.content.text == "edited \(Self.secret)")
        try store.record(modified("m2", "edited again \(Self.secret)", at: 31))
        #expect(try store.message("m2")?.content.text == "edited again \(Self.secret)")
        try store.record(removal.event)
        #expect(try store.message("m2")?.content.text == nil)
        let isShown = removal == .recall
        #expect(try store.message("m2") != nil || !isShown)
        if isShown { try store.redact(Position(2)) }
        let isWhole = removal == .wholeClearing || removal == .conversation
        try finish((isShown ? ["m2"] : []) + (isWhole ? [] : (16...20).map { "m\($0)" }))
    }

    @Test("clearings without such a list, of older versions or by a user, clear what is starred as well")
    func older() throws {
        try store.record(Self.starred("m2"), Self.starred("m12"))
        try store.record(Event(HistoryCleared(upTo: order(10), erases: true, isRetention: true), in: group))
        // A message that was cleared is not shown again by being named.
        try store.record(
            Event(HistoryCleared(upTo: order(15), erases: true, kept: [.server("m2"), .server("m12")]), in: group))
        try finish(["m12"] + (16...20).map { "m\($0)" })
    }

    @Test("a message that comes later below the floor is cleared, whatever star waits for it")
    func late() throws {
        try store.record(Self.starred("m2"), Self.starred("late"))
        try retain(5)
        try store.record(received("late", at: 3, text: "late"))
        #expect(try ids() == ["m2"] + (16...20).map { "m\($0)" })
        #expect(try store.isConsistent())
    }

    @Test("threads of which only kept replies are left are listed by these")
    func threads() throws {
        func reply(_ id: ServerMessageID, to root: ServerMessageID, at time: Int64) -> Event {
            .received(
                id, from: "bob", in: group, at: ms(time), content: .text(id.rawValue),
                context: MessageContext(replyTo: root), origin: .live)
        }
        try store.record([
            reply("a1", to: "m1", at: 30), reply("b1", to: "m2", at: 31), reply("c1", to: "m3", at: 32),
            reply("b2", to: "m2", at: 33), reply("a2", to: "m1", at: 34), reply("d1", to: "m4", at: 40), read(),
        ])
        try store.record(Self.starred("a1"), Self.starred("b1"))
        try retain(1)
        #expect(try ids() == ["a1", "b1", "d1"])
        let threads = try store.read { views in
            try views.all(atMost: 3) { try $0.threads(in: group, after: $1, limit: 1) }
        }
        #expect(threads.map(\.root) == ["m4", "m2", "m1"])
        let counts = try store.read { try $0.threads(in: group).elements.map(\.replyCount) }
        #expect(counts == [1, 1, 1])
        #expect(try store.isConsistent())
    }

    @Test("I14: a salvaged log, a restored backup and a replay keep them")
    func copies() throws {
        try store.record(Self.starred("m2"), Self.pinned("m4"))
        try retain(3)
        try store.compact()
        let left = try ids()
        #expect(left == ["m2", "m4", "m18", "m19", "m20"])
        #expect(
            try store.replay(to: store.lastPosition()) { try $0.timeline(of: group, limit: 100) }.elements.count == 5)
        try store.backup(to: place.directory + "/copy")
        try store.close()
        try MessageStore.restoreBackup(
            from: place.directory + "/copy", to: place.directory + "/restored", key: TemporaryStore.key)
        _ = try MessageStore.salvage(place.path, to: place.directory + "/salvaged")
        for name in ["restored", "salvaged"] {
            let copy = try MessageStore.open(
                place.directory + "/" + name, account: TemporaryStore.account, configuration: .ofTests)
            #expect(try copy.page().elements.map { $0.serverID?.rawValue ?? "" } == left)
            #expect(try copy.message("m2")?.content.text == "m2 \(Self.secret)" && copy.isConsistent())
            try copy.close()
        }
    }
}
