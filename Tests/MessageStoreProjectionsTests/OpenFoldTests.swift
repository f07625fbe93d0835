import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I3, I7: rows that stay decoded from package to package", .timeLimit(.minutes(30)))
struct OpenFoldTests {
    private let fixture: AdmissionFixture

    init() throws { fixture = try AdmissionFixture() }

    private func rows(_ table: ViewTable, of views: ServedViews) -> Int {
        views.writer.state.withLock { $0.buffer.active[table].count }
    }

    private func joined(_ members: [UserID], _ conversation: String) -> Event {
        Event(MembersAdded(members, kind: .joined), in: .group(conversation))
    }

    @Test(
        "whatever reads, flushes and looks of the appender come between, the rows are those of one fold",
        arguments: Seeds.first(3))
    func anySchedule(seed: UInt64) throws {
        let views = fixture.views
        var (random, events) = (SplitMix64(seed: ~seed), RandomEvents(seed: seed))
        for _ in 1...120 {
            // Some name a message that is not there, and are refused.
            do { try fixture.append(events.nextBatch(after: fixture.log.lastPosition)) } catch is StoreError {}
            switch random.below(10) {
            case 0: try views.flush()
            case 1: #expect(try views.snapshot().position == fixture.log.lastPosition)
            case 2: #expect(try views.admissionSnapshot().position == fixture.log.lastPosition)
            case 3: break
            default: try views.foldNew()
            }
        }
        #expect(fixture.log.lastPosition > Position(200))
        let verification = try views.verify(limit: 3) { _, _ in }
        #expect(verification.differenceCount == 0)
        #expect(verification.digests == verification.rebuiltDigests)
        try views.finish()
    }

    @Test("they are written when somebody looks, when the layer is frozen, and where there are many")
    func whenWritten() throws {
        let views = fixture.views
        for number in 1...3 {
            try fixture.append([AdmissionFixture.received("\(number)"), joined(["u\(number)"], "g")])
            try views.foldNew()
            _ = try views.admissionSnapshot()
        }
        #expect(rows(.named("timeline"), of: views) == 3)
        #expect([ViewTable.named("conversations"), .named("unread")].map { rows($0, of: views) } == [0, 0])
        _ = try views.snapshot()
        #expect([ViewTable.named("conversations"), .named("unread")].map { rows($0, of: views) } == [1, 1])
        try fixture.append([AdmissionFixture.received("4", in: "h")])
        try views.foldNew()
        #expect(rows(.named("conversations"), of: views) == 1)
        try views.flush()
        let stored = try #require(views.environment)
        let count = try stored.environment.read { transaction in
            try transaction.statistics(of: stored.tables[ViewTable.named("conversations").index]).entries
        }
        #expect(count == 2)
        for (numbers, written) in [(1...1024, 0), (1025...1025, 1025)] {
            try fixture.append(numbers.map { AdmissionFixture.received("5", in: "\($0)") })
            try views.foldNew()
            #expect(rows(.named("conversations"), of: views) == written)
        }
        try views.finish()
    }

    @Test("only the last member set of a conversation is indexed, and none where everybody left")
    func memberSets() throws {
        let views = fixture.views
        // Of each conversation: what was written before, and what came since.
        for conversation in ["gone", "grown", "same"] { try fixture.append([joined(["a"], conversation)]) }
        _ = try views.snapshot()
        #expect(try memberSets(of: views).count == 3)
        func left(_ members: [UserID], _ conversation: String) -> Event {
            Event(MembersRemoved(members, kind: .left), in: .group(conversation))
        }
        try fixture.append([left(["a"], "gone"), joined(["b"], "grown"), joined(["b"], "new")])
        try views.foldNew()
        try fixture.append([joined(["c"], "grown"), left(["a"], "same"), joined(["a"], "same"), left(["b"], "new")])
        try views.foldNew()
        try fixture.append([joined(["a"], "brief"), left(["a"], "brief")])
        var expected: Set<[UInt8]> = []
        for (conversation, members) in [(2, ["a", "b", "c"]), (3, ["a"])] {
            let numbers = try members.map { try #require(try fixture.log.symbols.number(of: UserID($0))) }
            let key = try #require(MemberList(Set(numbers)).indexKey)
            expected.insert(key.bytes + UInt32(conversation).bigEndianBytes)
        }
        #expect(try memberSets(of: views) == expected)
        #expect(try views.verify(limit: 3) { _, _ in }.differenceCount == 0)
    }

    /// The keys of the rows by which member sets are found.
    private func memberSets(of views: ServedViews) throws -> Set<[UInt8]> {
        let snapshot = try views.snapshot()
        var keys: Set<[UInt8]> = []
        var cursor = try snapshot.rows(.named("conversationIndex"))
        while try cursor.next() {
            if cursor.key.load(at: 0, as: UInt8.self) == ConversationIndexKey.Kind.memberSet.rawValue {
                keys.insert(cursor.key.copied)
            }
        }
        return keys
    }

    @Test("the appender's views do not show them") func admissionSees() throws {
        try fixture.append([AdmissionFixture.received("1")])
        let snapshot = try fixture.views.admissionSnapshot()
        #expect(try snapshot.isMessage(LocalMessageID(1), in: ConversationNumber(rawValue: 1)))
        #expect(throws: StoreError.self) {
            _ = try snapshot.row(ConversationList.conversations, ConversationNumber(rawValue: 1))
        }
    }

    @Test("a fold that fails drops them with the layer") func failingFold() throws {
        for number in 1...3 { try fixture.append([AdmissionFixture.received("\(number)")]) }
        try fixture.views.foldNew()
        try fixture.append([AdmissionFixture.received("4"), AdmissionFixture.received("5")])
        let bytes = try fixture.bytes(5)
        try fixture.damage(5)
        #expect(storeError { try fixture.views.foldNew() }?.code == .recordDamaged)
        #expect(rows(.named("timeline"), of: fixture.views) == 0)
        try fixture.replace(5, by: bytes)
        #expect(try fixture.views.snapshot().position == Position(5))
        #expect(try fixture.views.verify(limit: 3) { _, _ in }.differenceCount == 0)
    }
}
