import MessageStore
import Testing

/// The store behind NIMKit's data provider and its recent-session list.
final class NIMKitEmbedding {
    struct KitInfo: Equatable {
        var infoId: String
        var showName: String
        var avatarUrlString: String?
        /// Whether the real one is on its way.
        var isPlaceholder: Bool
    }

    struct RecentSession: Equatable {
        var showName: String
        var content: String
        var timestamp: Int64
        var unreadCount: Int
    }

    let store: MessageStore

    init(directory: String, account: String) throws {
        store = try MessageStore.open(directory, account: UserID(account))
    }

    /// `infoByUser:inSession:`; answers at once. A profile provider in the configuration would be asked where nothing is known.
    func infoByUser(_ userId: String, session: ConversationKey?) throws -> KitInfo {
        let known = try store.profile(UserID(userId))
        let name = try session.map { session in
            try store.read { try $0.displayName(of: UserID(userId), in: session) }
        }
        return KitInfo(
            infoId: userId, showName: name ?? known.displayName, avatarUrlString: known.profile.avatarURL,
            isPlaceholder: known.isPlaceholder)
    }

    /// `infoByTeam:`
    func infoByTeam(_ teamId: String) throws -> KitInfo {
        let team = try store.read { try $0.team(.group(teamId)) }
        return KitInfo(
            infoId: teamId, showName: team.info.name ?? teamId, avatarUrlString: team.info.avatarURL,
            isPlaceholder: team.isPlaceholder)
    }

    func recentSessions() throws -> [RecentSession] {
        try store.read { try $0.conversations(limit: 100).conversations }.map { conversation in
            RecentSession(
                showName: conversation.displayName,
                content: conversation.lastMessage.flatMap { store.contentTypes.preview(of: $0) } ?? "",
                timestamp: conversation.activity?.milliseconds ?? 0, unreadCount: conversation.unread.messages)
        }
    }
}

@Suite("Examples: NIMKit")
struct NIMKitEmbeddingTests {
    @Test("the example shows placeholders, names and recent sessions")
    func runs() throws {
        let place = try TemporaryStore()
        let embedding = try NIMKitEmbedding(directory: place.path, account: "me")
        let expected = NIMKitEmbedding.KitInfo(infoId: "bob", showName: "bob", isPlaceholder: true)
        #expect(try embedding.infoByUser("bob", session: nil) == expected)
        let team = TeamInfo(id: .group("g"), name: "猫鼠队")
        try embedding.store.record(
            profiles([("bob", "鲍勃")]), Event(TeamInfoFetched([team])), received("a", at: 7, text: "喵")
        )
        #expect(try embedding.infoByUser("bob", session: .group("g")).showName == "鲍勃")
        #expect(try embedding.infoByTeam("g").showName == "猫鼠队")
        let recent = NIMKitEmbedding.RecentSession(showName: "猫鼠队", content: "喵", timestamp: 7, unreadCount: 1)
        #expect(try embedding.recentSessions() == [recent])
        try embedding.store.close()
    }
}
