import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

@Suite("Temporary stores and fake hooks", .timeLimit(.minutes(30)))
struct FakeProviderTests {
    private let group = ConversationKey.group("g")

    private func message(_ id: ServerMessageID, at time: Int64) -> MessageReceived {
        MessageReceived(
            serverID: id, sender: "bob", sentTime: Timestamp(milliseconds: time), content: .text(id.rawValue))
    }

    @Test("a temporary store is there again until its place goes, and then nothing is left")
    func places() throws {
        var place: TemporaryStore? = try TemporaryStore()
        let directory = try #require(place?.directory)
        try place?.withStore { store throws in _ = try store.record(.pinned(in: group)) }
        place?.time.move(byMilliseconds: 5)
        try place?.withStore { store throws in
            try store.record(.pinned(false, in: group))
            let times = try store.events().map(\.recordedTime.milliseconds)
            #expect(times == [1_700_000_000_000, 1_700_000_000_005])
        }
        #expect(FileManager.default.fileExists(atPath: directory))
        place = nil
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test("a provider answers when its clock has moved, by its script")
    func delays() async throws {
        let clock = ManualClock()
        let profiles = FakeProfileProvider(delay: .seconds(2), clock: clock) { users, call in
            guard call > 1 else { throw Refusal() }
            return users.map { Profile(id: $0, name: "known") }
        }
        for call in 1...2 {
            let answer = Task { try await profiles.profiles(for: ["a"]).map(\.name) }
            await clock.waitForSleeper(until: .seconds(2 * call))
            clock.advance(by: .seconds(2))
            let result = await answer.result
            #expect((try? result.get()) == (call == 1 ? nil : ["known"]))
        }
        #expect(profiles.calls == [["a"], ["a"]])
    }

    @Test("every fake is what the store asks, and notes it")
    func hooks() async throws {
        let place = try TemporaryStore()
        let (profiles, filter) = (FakeProfileProvider(), FakeMessageFilter(byText: { $0 == "spam" ? .hide : .keep }))
        let teams = FakeTeamProvider { ids, _ in ids.map { TeamInfo(id: $0, name: "Team") } }
        let history = FakeHistoryProvider([message("old", at: 1), message("spam", at: 2), message("new", at: 3)])
        let store = try place.open { configuration in
            configuration.hooks.profileProvider = profiles
            configuration.hooks.messageFilter = filter
            configuration.hooks.teamProvider = teams
            configuration.hooks.historyProvider = history
        }
        #expect(try await store.fetchProfiles(["a"]).map(\.displayName) == ["a 1"])
        #expect(try await store.fetchTeams([group]).map(\.info.name) == ["Team"])
        #expect(try await store.history(of: group).elements.map(\.text) == ["old", "new"])
        #expect(profiles.calls == [["a"]] && teams.calls == [[group]])
        #expect(filter.asked == ["old", "spam", "new"])
        #expect(history.questions.map(\.limit) == [20] && history.questions.map(\.anchor) == [nil])
        try await store.close()
    }
}
