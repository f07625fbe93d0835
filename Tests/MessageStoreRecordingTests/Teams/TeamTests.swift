import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("C3, C7: what is known of teams")
struct TeamTests {
    private func fetched(_ teams: TeamInfo...) -> Event { Event(TeamInfoFetched(teams)) }
    private func invalidated(_ teams: [ConversationKey]?) -> Event {
        Event(TeamInfoInvalidated(teams))
    }

    private func team(_ key: ConversationKey, _ store: MessageStore) throws -> Cached<TeamInfo> {
        try store.read { try $0.team(key) }
    }

    @Test("C3, C5, C29: a placeholder until the provider answers, then its answer, also in the next process")
    func fetch() throws {
        let place = try TemporaryStore()
        let info = TeamInfo(id: group, name: "队", avatarURL: "http://x", kind: 1)
        try place.withStore { store throws in
            let placeholder = try team(group, store)
            #expect(placeholder.isPlaceholder && placeholder.needsFetch && placeholder.info == TeamInfo(id: group))
            try store.record(fetched(TeamInfo(id: group, name: "old", kind: 2), TeamInfo(id: peer)), fetched(info))
        }
        try place.withStore { store throws in
            #expect(try team(group, store).info == info)
            #expect(try !team(group, store).needsFetch && !team(peer, store).isPlaceholder)
            #expect(try store.conversation() == nil, "a team alone is in no list")
        }
    }

    @Test("C7: invalidating one or all marks stale and keeps the last value", arguments: [[group], nil])
    func invalidation(teams: [ConversationKey]?) throws {
        try withTemporaryStore { store throws in
            try store.record(fetched(TeamInfo(id: group, name: "A"), TeamInfo(id: .group("h"), name: "B")))
            try store.record(invalidated(teams), invalidated([.group("unknown")]))
            #expect(try team(group, store).isStale && team(group, store).needsFetch)
            #expect(try team(group, store).info.name == "A")
            #expect(try team(.group("h"), store).isStale == (teams == nil))
            #expect(try team(.group("unknown"), store).isPlaceholder)
            try store.record(fetched(TeamInfo(id: group, name: "A2")))
            #expect(try !team(group, store).isStale && team(group, store).info.name == "A2")
        }
    }

    @Test("C12: a group without a name or picture of its own shows the team's; two people do not")
    func names() throws {
        try withTemporaryStore { store throws in
            let teams = [group, peer].map { TeamInfo(id: $0, name: "Team", avatarURL: "team.png") }
            try store.record(received("a", at: 1), received("b", at: 1, in: peer))
            try store.record(Event(TeamInfoFetched(teams)))
            #expect(try store.conversation()?.displayName == "Team")
            #expect(try store.conversation()?.name == nil)
            #expect(try store.conversation()?.avatarURL == "team.png")
            #expect(try store.conversation(peer)?.displayName == "bob")
            #expect(try store.conversation(peer)?.avatarURL == nil)
            let fields = ConversationFields(name: "Own", avatarURL: "own.png")
            try store.record(Event(ConversationUpdated(fields), in: group))
            #expect(try store.conversation()?.displayName == "Own")
            #expect(try store.conversation()?.avatarURL == "own.png")
            try store.record(Event(ConversationUpdated(.init(name: "")), in: group))
            #expect(try store.conversation()?.displayName == "Team")
        }
    }
}
