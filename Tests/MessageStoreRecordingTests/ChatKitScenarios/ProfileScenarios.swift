import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A1–A10: names and avatars from the app's own users", .store, .timeLimit(.minutes(30)))
struct ProfileScenarios {
    @Test(
        "A1, A5, A6: given ids of the wire, when the app is asked, then name, avatar and its own id are known by them")
    func fields() async throws {
        let place = try TemporaryStore()
        let store = try place.open { configuration in
            configuration.hooks.profileProvider = FakeProfileProvider { clients, _ in
                clients.map { Profile(id: $0, userID: "app-1", name: "汤姆", avatarURL: "https://a/tom.png") }
            }
        }
        let fetched = try await store.fetchProfiles(["Tom"])
        let known = try store.profile("Tom").info
        #expect(fetched.map(\.info) == [known])
        #expect(known == Profile(id: "Tom", userID: "app-1", name: "汤姆", avatarURL: "https://a/tom.png"))
        #expect(try store.profile("app-1").isPlaceholder, "the app's id names nobody on the wire")
    }

    @Test("A10: given a tap on an avatar, when the page opens, then the app can tell its own user from a peer")
    func ownPage() throws {
        try store.record(received("a", at: 1, from: "Tom"), received("b", at: 2, from: store.account))
        let messages = try store.page().elements
        #expect(messages.map { $0.sender == store.account } == [false, true])
        #expect(messages.map(\.isOutgoing) == [false, true])
    }
}
