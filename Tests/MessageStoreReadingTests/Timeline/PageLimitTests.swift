import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d3: how much a page may have")
struct PageLimitTests {
    /// A query with pages.
    struct Query: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let run: @Sendable (borrowing Views, Int) throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (borrowing Views, Int) throws -> Void) {
            (testDescription, self.run) = (name, run)
        }
    }

    static let queries = [
        Query("timeline") { _ = try $0.timeline(of: group, limit: $1) },
        Query("timeline of nobody") { _ = try $0.timeline(of: .group("nobody"), limit: $1) },
        Query("timelineEvents") { _ = try $0.timelineEvents(on: $0.timeline(of: group), in: group, limit: $1) },
        Query("media") { _ = try $0.media(in: group, limit: $1) },
        Query("mentions") { _ = try $0.mentions(in: group, limit: $1) },
        Query("unreadMentions") { _ = try $0.unreadMentions(in: group, limit: $1) },
        Query("replies") { _ = try $0.replies(to: "a", in: group, limit: $1) },
        Query("threads") { _ = try $0.threads(in: group, limit: $1) },
        Query("edits") { _ = try $0.edits(of: .server("a"), in: group, limit: $1) },
        Query("owedReceipts") { _ = try $0.owedReceipts(in: group, limit: $1) },
        Query("pinnedMessages") { _ = try $0.pinnedMessages(in: group, limit: $1) },
        Query("starredMessages") { _ = try $0.starredMessages(limit: $1) },
        Query("localFiles") { _ = try $0.localFiles(limit: $1) },
        Query("conversations") { _ = try $0.conversations(limit: $1) },
        Query("conversations matching") { _ = try $0.conversations(matching: ConversationQuery(), limit: $1) },
        Query("contacts") { _ = try $0.contacts(limit: $1) },
        Query("blockedUsers") { _ = try $0.blockedUsers(limit: $1) },
        Query("profiles") { _ = try $0.profiles(limit: $1) },
        Query("members") { _ = try $0.members(in: group, limit: $1) },
        Query("teams") { _ = try $0.teams(limit: $1) },
    ]

    @Test("d3: limits outside 1 to 1000 are an error, whatever is asked for", arguments: queries)
    func limits(query: Query) throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1))
            for limit in [0, -1, 1001, .max, .min] {
                expectError(.invalidArgument) { try store.read { try query.run($0, limit) } }
            }
            for limit in [1, 1000] { try store.read { try query.run($0, limit) } }
        }
    }

    /// So many of everything that has pages; one more edit, the original, and one more conversation, the group.
    private static func each(_ count: Int, in key: ConversationKey = group) -> [Event] {
        (1...count).flatMap { number -> [Event] in
            let (message, user) = (ServerMessageID("m\(number)"), UserID("u\(number)"))
            let (reference, other) = (MessageReference.server(message), ConversationKey.group("c\(number)"))
            return [
                received(message, at: Int64(number), in: key, mentions: [TemporaryStore.account]),
                .received(
                    "r\(number)", from: user, in: key, at: ms(Int64(100 + number)), content: .text("reply"),
                    context: MessageContext(replyTo: message)),
                Event(ReadReceiptRequested([.server("r\(number)")]), in: key, origin: .live),
                Event(MembersAdded([user], kind: .joined), in: key),
                Event(ContactsReceived([ContactInfo(id: user)])),
                Event(UsersBlocked([user])),
                Event(ProfilesFetched([Profile(id: user)])),
                Event(TeamInfoFetched([TeamInfo(id: .group("t\(number)"))])),
                Event(MessagePinned(reference), in: key),
                Event(MessageStarred(reference), in: key),
                Event(
                    AttachmentStateChanged(reference, state: .available, localPath: "file", byteCount: UInt64(number)),
                    in: key),
                Event(
                    MessageModified(.server("m1"), content: .text("\(number)"), at: ms(Int64(200 + number))), in: key),
                received("c\(number)", at: Int64(number), in: other),
                Event(ConversationTagged(add: ["tag"]), in: other),
            ]
        }
    }

    @Test("d3: a page has 20 elements by default, whatever is asked for")
    func defaultLimit() throws {
        try withTemporaryStore { store throws in
            try store.record(Self.each(21))
            try store.read { views throws in
                #expect(try views.contacts().elements.count == 20)
                #expect(try views.blockedUsers().elements.count == 20)
                #expect(try views.profiles().elements.count == 20)
                #expect(try views.teams().elements.count == 20)
                #expect(try views.pinnedMessages(in: group).elements.count == 20)
                #expect(try views.starredMessages().elements.count == 20)
                #expect(try views.localFiles().elements.count == 20)
                #expect(try views.threads(in: group).elements.count == 20)
                #expect(try views.mentions(in: group).elements.count == 20)
                #expect(try views.conversations().elements.count == 20)
                #expect(try views.edits(of: .server("m1"), in: group).elements.count == 20)
                #expect(try views.conversations(matching: ConversationQuery()).elements.count == 20)
                #expect(try views.conversations(tagged: "tag").elements.count == 20)
                #expect(try views.timeline(of: group).elements.count == 20)
                #expect(try views.unreadMentions(in: group).elements.count == 20)
                #expect(try views.members(in: group).elements.count == 20)
            }
        }
    }

    @Test("a page says where the next one begins, and the last page that there is none", arguments: [1, 2, 3, 6, 7])
    func next(limit: Int) throws {
        try withTemporaryStore { store throws in
            try store.record(Self.each(6))
            func count<Element: Hashable>(_ page: (borrowing Views, PageCursor?) throws -> Page<Element>) throws -> Int
            {
                var (found, cursor) = (Set<Element>(), PageCursor?.none)
                repeat {
                    let page = try store.read { try page($0, cursor) }
                    #expect(1...limit ~= page.elements.count)
                    #expect(found.isDisjoint(with: page.elements))
                    found.formUnion(page.elements)
                    // As a client returns it.
                    cursor = try page.next.map { try #require(PageCursor($0.description)) }
                } while cursor != nil
                return found.count
            }
            #expect(try count { try $0.contacts(after: $1, limit: limit) } == 6)
            #expect(try count { try $0.blockedUsers(after: $1, limit: limit) } == 6)
            #expect(try count { try $0.profiles(after: $1, limit: limit) } == 6)
            #expect(try count { try $0.teams(after: $1, limit: limit) } == 6)
            #expect(try count { try $0.pinnedMessages(in: group, after: $1, limit: limit) } == 6)
            #expect(try count { try $0.starredMessages(after: $1, limit: limit) } == 6)
            #expect(try count { try $0.localFiles(after: $1, limit: limit) } == 6)
            #expect(try count { try $0.threads(in: group, after: $1, limit: limit) } == 6)
            #expect(try count { try $0.mentions(in: group, after: $1, limit: limit) } == 6)
            #expect(try count { try $0.edits(of: .server("m1"), in: group, after: $1, limit: limit) } == 7)
            #expect(try count { try $0.conversations(after: $1, limit: limit) } == 7)
            #expect(try count { try $0.conversations(tagged: "tag", after: $1, limit: limit) } == 6)
            #expect(try count { try $0.members(in: group, after: $1, limit: limit) } == 6)
            #expect(try count { try $0.unreadMentions(in: group, after: $1, limit: limit) } == 6)
            try store.record(Event(ConversationRead(), in: group))
            #expect(try count { try $0.owedReceipts(in: group, after: $1, limit: limit) } == 6)
            #expect(
                try count { views, cursor in
                    try views.owedReceipts(in: group, after: cursor, limit: limit) { $0.time != ms(103) }
                } == 5)
        }
    }

    @Test("each query refuses the cursors of the others, of other arguments, and text that is none")
    func foreignCursors() throws {
        try withTemporaryStore { store throws in
            try store.record(Self.each(2) + Self.each(2, in: peer))
            let byName = ConversationQuery(order: [.ascending(.name)])
            let queries: [(borrowing Views, PageCursor?) throws -> PageCursor?] = [
                { try $0.contacts(after: $1, limit: 1).next },
                { try $0.teams(after: $1, limit: 1).next },
                { try $0.pinnedMessages(in: group, after: $1, limit: 1).next },
                { try $0.pinnedMessages(in: peer, after: $1, limit: 1).next },
                { try $0.starredMessages(after: $1, limit: 1).next },
                { try $0.localFiles(after: $1, limit: 1).next },
                { try $0.localFiles(by: .oldestFirst, after: $1, limit: 1).next },
                { try $0.threads(in: group, after: $1, limit: 1).next },
                { try $0.threads(in: peer, after: $1, limit: 1).next },
                { try $0.mentions(in: group, after: $1, limit: 1).next },
                { try $0.mentions(in: peer, after: $1, limit: 1).next },
                { try $0.edits(of: .server("m1"), in: group, after: $1, limit: 1).next },
                { try $0.members(in: group, after: $1, limit: 1).next },
                { try $0.members(in: peer, after: $1, limit: 1).next },
                { try $0.conversations(after: $1, limit: 1).next },
                { try $0.conversations(matching: ConversationQuery(), after: $1, limit: 1).next },
                { try $0.conversations(matching: byName, after: $1, limit: 1).next },
            ]
            try store.read { views throws in
                let cursors = try queries.map { try #require(try $0(views, nil)) }
                for (index, query) in queries.enumerated() {
                    for (other, cursor) in cursors.enumerated() where other != index {
                        #expect(throws: StoreError.self, "\(index) after \(other)") { _ = try query(views, cursor) }
                        // Forged: the own kind, and another's place.
                        let kind = cursors[index].description.prefix(2)
                        let forged = PageCursor(kind + cursor.description.dropFirst(2) + "ff")
                        _ = try? query(views, forged)
                    }
                }
            }
            for text in ["", "0", "xyz", "0g", "é1", "+1", "-0", "0A"] { #expect(PageCursor(text) == nil) }
            // The key of another conversation's edit, and the list's place among what is not archived.
            try store.read { views throws in
                let edits = try #require(try views.edits(of: .server("m1"), in: group, limit: 1).next)
                expectError(.invalidArgument) { _ = try views.edits(of: .server("m1"), in: peer, after: edits) }
                let list = try #require(try views.conversations(limit: 1).next)
                expectError(.invalidArgument) { _ = try views.conversations(archived: .only, after: list) }
            }
        }
    }

    @Test("a page that is ordered by lists goes on, however long and deep they are")
    func orderedByLists() throws {
        try withTemporaryStore { store throws in
            let deep = JSONValue.array([.string(String(repeating: "x", count: 1000))])
            let nested = (0..<58).reduce(deep) { value, _ in .array([value]) }
            for id in ["a", "b", "c"] {
                let fields = ConversationFields(attributes: Array(try JSONEncoder().encode(["x": nested])))
                try store.record(
                    Event(ConversationCreated(fields), in: .group(id)), received("m", at: 1, in: .group(id)))
            }
            let query = ConversationQuery(order: [.ascending(.attribute("x"))])
            let found = try store.read { views in
                try views.all(atMost: 3) { views, cursor in
                    if let cursor { #expect(cursor.description.utf8.count < 400) }
                    return try views.conversations(matching: query, after: cursor, limit: 1)
                }
            }
            #expect(Set(found.map(\.key.id)) == ["a", "b", "c"] && found.count == 3)
        }
    }
}
