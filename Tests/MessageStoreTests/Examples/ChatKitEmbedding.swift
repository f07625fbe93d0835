import MessageStore
import Testing

/// The store under ChatKit's blocks: profiles, filter, badge.
final class ChatKitEmbedding {
    typealias FetchProfiles =
        @Sendable (_ userIds: [String], _ done: @escaping @Sendable ([Profile]?, (any Error)?) -> Void)
        -> Void
    typealias FilterMessages = @Sendable (_ isSingle: Bool, _ messages: [MessageReceived]) -> [MessageReceived?]

    let store: MessageStore

    /// `setFetchProfilesBlock:`, where a block that never calls back costs its time-out and nothing else, and
    /// `setFilterMessagesBlock:`, where nil drops a message and another content replaces it.
    init(
        directory: String, clientId: String, fetchProfiles: @escaping FetchProfiles,
        filterMessages: @escaping FilterMessages
    ) throws {
        var configuration = MessageStore.Configuration()
        configuration.profileProvider = Provider(block: fetchProfiles)
        configuration.messageFilter = Filter(block: filterMessages)
        store = try MessageStore.open(directory, account: UserID(clientId), configuration: configuration)
    }

    private struct Provider: ProfileProvider {
        let block: FetchProfiles

        func profiles(for users: [UserID]) async throws -> [Profile] {
            try await withCheckedThrowingContinuation { continuation in
                block(users.map(\.rawValue)) { profiles, error in
                    continuation.resume(with: error.map { .failure($0) } ?? .success(profiles ?? []))
                }
            }
        }
    }

    private struct Filter: MessageFilter {
        let version: UInt32 = 1
        let block: FilterMessages

        func verdicts(on messages: [MessageReceived], in conversation: ConversationKey) async throws -> [FilterVerdict]
        {
            zip(messages, block(conversation.kind == .single, messages)).map { original, shown in
                guard let shown else { return .hide }
                return shown.content == original.content ? .keep : .replace(shown.content)
            }
        }
    }

    /// `setMarkBadgeWithTotalUnreadCountBlock:`; ends with the store.
    func markBadge(_ block: @escaping @Sendable (Int) -> Void) -> Task<Void, any Error> {
        let badges = store.observe { try $0.unreadTotals().badge }
        return Task { for try await badge in badges { block(badge) } }
    }
}

@Suite("Examples: ChatKit", .timeLimit(.minutes(30)))
struct ChatKitEmbeddingTests {
    @Test("the example fetches a profile, filters a message and marks the badge")
    func runs() async throws {
        let place = try TemporaryStore()
        let embedding = try ChatKitEmbedding(directory: place.path, clientId: "me") { ids, done in
            done(ids.map { Profile(id: UserID($0), name: "名 \($0)") }, nil)
        } filterMessages: { isSingle, messages in
            messages.map { $0.content.text == "广告" && !isSingle ? nil : $0 }
        }
        let store = embedding.store
        let badges = Counter()
        let marking = embedding.markBadge { badge in if badge == 1 { badges.increment() } }
        #expect(try await store.fetchProfiles(["Tom"]).first?.displayName == "名 Tom")
        try await store.record([received("a", at: 1), received("b", at: 2, text: "广告")])
        #expect(try store.texts() == ["a"])
        await eventually { badges.value == 1 }
        try await store.close()
        try await marking.value
    }
}
