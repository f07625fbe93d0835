import MessageStore
import Testing

@Suite("d3: how much a page may have", .store)
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
        try store.record(received("a", at: 1))
        for limit in [0, -1, 1001, .max, .min] {
            expectError(.invalidArgument) { try store.read { try query.run($0, limit) } }
        }
        for limit in [1, 1000] { try store.read { try query.run($0, limit) } }
    }
}
