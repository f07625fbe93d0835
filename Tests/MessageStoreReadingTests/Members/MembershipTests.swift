import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("B20–B26: members")
struct MembershipTests {
    private func added(_ members: UserID..., kind: JoinKind = .invited, by actor: UserID? = nil) -> Event {
        Event(MembersAdded(members, kind: kind, by: actor), in: group)
    }

    private func removed(_ members: UserID..., kind: LeaveKind = .kicked, by actor: UserID? = nil) -> Event {
        Event(MembersRemoved(members, kind: kind, by: actor, reason: "why"), in: group)
    }

    private func isMember(_ user: UserID, _ store: MessageStore) throws -> Bool {
        try store.read { try $0.isMember(user, in: group) }
    }

    @Test("B5, B20, B35: who came, how, and who brought them")
    func kinds() throws {
        try withTemporaryStore { store throws in
            let fields = ConversationFields(creator: "eve")
            try store.record(Event(ConversationCreated(fields, members: ["a"]), in: group))
            try store.record(added("b", by: "a"), added("c", kind: .joined))
            let members = try store.members()
            #expect(members.map(\.id) == ["a", "b", "c"])
            #expect(members.map(\.joinKind) == [.invited, .invited, .joined])
            #expect(members.map(\.invitedBy) == ["eve", "a", nil])
            #expect(try store.conversation()?.memberCount == 3)
        }
    }

    @Test("B25: reporting the same twice changes nothing")
    func idempotent() throws {
        try withTemporaryStore { store throws in
            try store.record(added("a", "b", by: "eve"), added("a", "a", kind: .joined, by: "bob"))
            #expect(try store.members().map(\.invitedBy) == ["eve", "eve"])
            #expect(try store.conversation()?.memberCount == 2)
            try store.record(removed("a", "nobody"), removed("a", kind: .left))
            #expect(try store.members().map(\.id) == ["b"])
            #expect(try store.conversation()?.memberCount == 1)
            #expect(try isMember("a", store) == false)
            #expect(try isMember("b", store))
            #expect(try isMember("stranger", store) == false)
        }
    }

    @Test("B22, B24, B25: this account is invited and kicked, also when told of it twice")
    func selfInvitedAndKicked() throws {
        try withTemporaryStore { store throws in
            let me = TemporaryStore.account
            try store.record(Event(SelfInvited(by: "eve"), in: group), added(me, by: "bob"))
            #expect(try store.members().map(\.invitedBy) == ["eve"])
            #expect(try isMember(me, store))
            #expect(try store.list() == [group])
            try store.record(Event(SelfKicked(by: "eve"), in: group), removed(me))
            #expect(try isMember(me, store) == false)
            #expect(try store.conversation()?.memberCount == 0)
        }
    }

    @Test("d23: the server's list replaces what hints told; without a list members stay")
    func snapshots() throws {
        try withTemporaryStore { store throws in
            try store.record(added("a", "b", kind: .joined))
            try store.record(Event(MemberInfoChanged("b", nickname: "Bee", role: 2), in: group))
            try store.record(snapshot("G", members: ["c", "b", "c"]))
            let members = try store.members()
            #expect(members.map(\.id) == ["b", "c"])
            #expect(members.first?.nickname == "Bee" && members.first?.role == 2)
            #expect(try store.conversation()?.memberCount == 2)
            try store.record(snapshot("H"))
            #expect(try store.members().count == 2)
            try store.record(snapshot("H", members: []))
            #expect(try store.members().isEmpty)
            #expect(try store.conversation()?.memberCount == 0)
        }
    }

    @Test("C1, C8: the nickname outranks the profile's name, except between two people")
    func nicknames() throws {
        try withTemporaryStore { store throws in
            func name(_ key: ConversationKey) throws -> String {
                try store.read { try $0.displayName(of: "bob", in: key) }
            }
            #expect(try name(group) == "bob")
            for key in [group, peer] {
                try store.record(Event(MemberInfoChanged("bob", nickname: "Bobby"), in: key))
            }
            #expect(try name(group) == "Bobby")
            #expect(try name(peer) == "bob")
            try store.record(profiles([("bob", "Robert")]))
            #expect(try name(group) == "Bobby")
            #expect(try name(peer) == "Robert")
            try store.record(Event(MemberInfoChanged("bob", nickname: ""), in: group))
            #expect(try name(group) == "Robert")
        }
    }

    @Test("member information changes what it tells and keeps the rest")
    func memberInfo() throws {
        try withTemporaryStore { store throws in
            try store.record(added("a"))
            try store.record(Event(MemberInfoChanged("a", role: 5), in: group))
            try store.record(Event(MemberInfoChanged("a", nickname: "A"), in: group))
            #expect(try store.members().first?.role == 5)
            #expect(try store.members().first?.nickname == "A")
        }
    }

    @Test("events that name nobody are refused")
    func nobody() throws {
        try withTemporaryStore { store throws in
            expectError(.invalidArgument) {
                try store.record(Event(MembersAdded([], kind: .joined), in: group))
            }
            expectError(.invalidArgument) {
                try store.record(Event(MembersRemoved([""], kind: .left), in: group))
            }
        }
    }
}
