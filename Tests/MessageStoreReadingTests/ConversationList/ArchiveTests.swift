import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d42: the archive", .store, .timeLimit(.minutes(30)))
struct ArchiveTests {
    private let other = ConversationKey.group("other")
    private let third = ConversationKey.group("third")

    /// Three conversations, the first of them in the archive.
    private func fill(_ store: MessageStore) throws {
        try store.record(received("a", at: 30), archived())
        try store.record([received("b", at: 20, in: other), received("c", at: 10, in: third), pinned(in: third)])
    }

    @Test("d42: the list shows the archive when it is asked for it, behind the others or alone")
    func list() throws {
        try fill(store)
        #expect(try store.list() == [third, other])
        #expect(try store.list(archived: .only) == [group])
        #expect(try store.list(archived: .included) == [third, other, group])
        #expect(try store.list(kinds: [.single], archived: .included).isEmpty)
        #expect(try store.conversation()?.isArchived == true)
        try store.record(archived(in: third), received("d", at: 40, in: other))
        #expect(try store.list(archived: .only) == [third, group], "pinned first in the archive as well")
        try store.record(archived(false))
        #expect(try store.list() == [other, group])
    }

    @Test("d42: pages of the archive join")
    func pages() throws {
        try withTemporaryStore { store throws in
            let keys = (0..<9).map { ConversationKey.group("g\($0)") }
            for (index, key) in keys.enumerated() {
                try store.record(received("m", at: Int64(100 - index), in: key), archived(index % 2 == 0, in: key))
            }
            let expected: [ArchivedConversations: [ConversationKey]] = [
                .only: [0, 2, 4, 6, 8].map { keys[$0] }, .excluded: [1, 3, 5, 7].map { keys[$0] },
                .included: [1, 3, 5, 7, 0, 2, 4, 6, 8].map { keys[$0] },
            ]
            for archived in ArchivedConversations.allCases {
                var (found, cursor): ([ConversationKey], PageCursor?) = ([], nil)
                repeat {
                    let page = try store.read { try $0.conversations(archived: archived, after: cursor, limit: 2) }
                    found += page.elements.map(\.key)
                    cursor = page.next
                } while cursor != nil
                #expect(found == expected[archived])
            }
        }
    }

    @Test("d42: an archived conversation stays archived when messages come")
    func staysArchived() throws {
        try fill(store)
        try store.record([received("d", at: 50), markedUnread(), read()])
        #expect(try store.list(archived: .only) == [group])
        #expect(try store.conversation()?.activity == ms(50))
    }

    @Test("d42: deleting takes a conversation out of the archive, and a later message brings it into the list")
    func deletion() throws {
        try fill(store)
        try store.record(conversationDeleted(), archived(at: ms(1)))
        #expect(try store.conversation()?.isArchived == false, "an older choice comes too late")
        #expect(try store.list(archived: .included) == [third, other])
        try store.record(received("d", at: 60))
        #expect(try store.list() == [third, group, other])
        #expect(try store.totals(archived: .excluded).badge == 3)
    }

    @Test("d42: the archive counts for the badge unless it is left out")
    func badge() throws {
        try fill(store)
        try store.record(received("d", at: 50))
        #expect(try store.totals().badge == 4)
        #expect(try store.totals(archived: .excluded).badge == 2)
        #expect(try store.totals(archived: .only).badge == 2)
        try store.record(muted(), markedUnread(in: other))
        #expect(try store.totals(archived: .only).badge == 0)
        #expect(try store.totals(archived: .only, includesMuted: true).messages == 2)
        try store.record(muted(false), archived(in: other))
        #expect(try store.totals(archived: .only).messages == 3)
        #expect(try store.totals(archived: .excluded).messages == 1)
    }

    @Test("d42: conditions select by the archive, and queries find it unless they leave it out")
    func conditions() throws {
        try withTemporaryStore { store throws in
            try fill(store)
            func found(_ condition: ConversationCondition) throws -> [ConversationKey] {
                try store.read { try $0.conversations(matching: ConversationQuery(condition)) }.elements.map(\.key)
            }
            #expect(try found(.all([])) == [group, other, third])
            #expect(try found(.property(.isArchived, .equal(true))) == [group])
            #expect(try found(.all([.kinds([.group]), .property(.isArchived, .equal(false))])) == [other, third])
            #expect(try found(.not(.property(.isArchived, .equal(true)))) == [other, third])
            let both: [ConversationCondition] = [true, false].map { .property(.isArchived, .equal(.bool($0))) }
            #expect(try found(.all(both)).isEmpty)
            #expect(try found(.any(both)) == [group, other, third])
        }
    }

    @Test("d42: a server's list reports the archive as the single event does")
    func summary() throws {
        try fill(store)
        let told = ConversationSummaryReceived(isArchived: true)
        try store.record(Event(told, in: other, origin: .live))
        #expect(try store.list(archived: .only) == [group, other])
        let late = ConversationSummaryReceived(isArchived: false)
        try store.record(Event(late, in: other, origin: .live, serverTime: ms(1)))
        #expect(try store.list(archived: .only) == [group, other])
        #expect(try store.totals(archived: .only).badge == 2)
        try store.record(Event(late, in: other, origin: .live))
        #expect(try store.list(archived: .only) == [group])
    }

    @Test("d42: observed lists and totals show what they are asked for")
    func observed() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try fill(store)
        var lists = store.observeConversations(archived: .only).makeAsyncIterator()
        #expect(try await lists.next()?.elements.map(\.key) == [group])
        var totals = store.observeUnreadTotals(archived: .excluded).makeAsyncIterator()
        #expect(try await totals.next()?.badge == 2)
        try await store.record([archived(in: other)])
        #expect(try await lists.next()?.elements.map(\.key) == [group, other])
        #expect(try await totals.next()?.badge == 1)
        try await store.close()
    }
}
