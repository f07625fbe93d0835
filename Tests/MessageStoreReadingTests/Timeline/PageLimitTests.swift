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
        Query("timelineEvents") { _ = try $0.timelineEvents(beside: $0.timeline(of: group), in: group, limit: $1) },
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
    private static func each(_ count: Int) -> [Event] {
        (1...count).flatMap { number -> [Event] in
            let (message, user) = (ServerMessageID("m\(number)"), UserID("u\(number)"))
            let (reference, other) = (MessageReference.server(message), ConversationKey.group("c\(number)"))
            return [
                received(message, at: Int64(number), mentions: [TemporaryStore.account]),
                .received(
                    "r\(number)", from: user, in: group, at: ms(Int64(100 + number)), content: .text("reply"),
                    context: MessageContext(replyTo: message)),
                Event(ContactsReceived([ContactInfo(id: user)])),
                Event(UsersBlocked([user])),
                Event(ProfilesFetched([Profile(id: user)])),
                Event(TeamInfoFetched([TeamInfo(id: .group("t\(number)"))])),
                Event(MessagePinned(reference), in: group),
                Event(MessageStarred(reference), in: group),
                Event(
                    AttachmentStateChanged(reference, state: .available, localPath: "file", byteCount: UInt64(number)),
                    in: group),
                Event(
                    MessageModified(.server("m1"), content: .text("\(number)"), at: ms(Int64(200 + number))), in: group),
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
                #expect(try views.timeline(of: group).messages.count == 20)
                #expect(try views.unreadMentions(in: group).count == 20)
            }
        }
    }

    @Test("a page says where the next one begins, and the last page that there is none", arguments: [1, 2, 3, 6, 7])
    func next(limit: Int) throws {
        try withTemporaryStore { store throws in
            try store.record(Self.each(6))
            func count<Element, Cursor>(_ page: (borrowing Views, Cursor?) throws -> Page<Element, Cursor>) throws
                -> Int
            {
                var (count, cursor) = (0, Cursor?.none)
                repeat {
                    let page = try store.read { try page($0, cursor) }
                    #expect(1...limit ~= page.elements.count)
                    (count, cursor) = (count + page.elements.count, page.next)
                } while cursor != nil
                return count
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
        }
    }
}
