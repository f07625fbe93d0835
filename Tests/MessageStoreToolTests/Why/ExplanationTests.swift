import MessageStore
import Testing

@testable import MessageStoreTool

/// The expectation is brute force: a replay of all events up to each position, one after the other.
@Suite("Why a value is what it is", .timeLimit(.minutes(30)))
struct ExplanationTests {
    private static func fill(_ place: TemporaryStore, seed: UInt64) throws -> MessageStore {
        let store = try place.open(account: RandomEvents.account)
        var random = RandomEvents(seed: seed)
        while try store.lastPosition().rawValue < 150 {
            try store.record(random.nextBatch(after: store.lastPosition()))
            place.time.move(byMilliseconds: 1000)
        }
        return store
    }

    /// Every subject of a store's log.
    private static func subjects(_ store: MessageStore) throws -> [Subject] {
        let events = try store.events(limit: .max)
        let conversations = Set(events.compactMap(\.event.conversation)).sorted { $0.description < $1.description }
        let users = try conversations.flatMap { key in
            try store.read { try $0.members(in: key).elements.map { ($0.id, key) } }
        }
        let profiles = events.compactMap { $0.event.payload as? ProfilesFetched }.flatMap { $0.profiles.map(\.id) }
        let messages = events.filter { $0.event.payload is MessageReceived || $0.event.payload is MessageSendQueued }
        return try [.badge] + conversations.flatMap { [.unread($0), .conversation($0)] }
            + users.prefix(6).map { .member($0.0, $0.1) } + Set(profiles).prefix(3).map { .profile($0) }
            + messages.enumerated().filter { $0.offset.isMultiple(of: 7) }.map { message in
                .message(
                    try MessageNames(
                        message.element.position.description, in: store,
                        conversation: message.element.event.conversation))
            }
    }

    @Test(
        "the events that changed it are those at which replays of everything differ", arguments: Seeds.first(3))
    func steps(seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try Self.fill(place, seed: seed)
        let last = try store.lastPosition()
        let subjects = try Self.subjects(store)
        // For each position, the facts of every subject.
        let facts = try (0...last.rawValue).map { position in
            try store.replay(to: Position(position)) { views throws in
                var all: [[Fact]] = []
                for subject in subjects { all.append(try subject.facts(views)) }
                return all
            }
        }
        for (number, subject) in subjects.enumerated() {
            let expected = (1...Int(last.rawValue)).filter { facts[$0][number] != facts[$0 - 1][number] }
            let whole = try Explanation(subject, in: store, at: last, limit: .max) { _, _ in }
            #expect(whole.steps.map { Int($0.event.position.rawValue) } == expected, "\(subject), seed \(seed)")
            #expect(whole.steps.map(\.after) == expected.map { facts[$0][number] }, "\(subject), seed \(seed)")
            #expect(whole.steps.map(\.before) == expected.map { facts[$0 - 1][number] }, "\(subject), seed \(seed)")
            #expect(whole.facts == facts[Int(last.rawValue)][number] && whole.isComplete)
            #expect(whole.steps.allSatisfy { !$0.changes.isEmpty })
            let cut = try Explanation(subject, in: store, at: Position(100), limit: 2) { _, _ in }
            let earlier = expected.filter { $0 <= 100 }
            #expect(cut.steps.map { Int($0.event.position.rawValue) } == earlier.suffix(2), "\(subject)")
            #expect(cut.isComplete || earlier.count >= 2)
            #expect(!cut.isComplete || earlier.count <= 2)
        }
        try store.close()
    }
}
