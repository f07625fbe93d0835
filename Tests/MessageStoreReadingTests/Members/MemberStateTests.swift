import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("B36: muted and blocked members, and who may send")
struct MemberStateTests {
    private func added(_ members: UserID..., in key: ConversationKey = group) -> Event {
        Event(MembersAdded(members, kind: .joined), in: key)
    }

    private func removed(_ members: UserID...) -> Event {
        Event(MembersRemoved(members, kind: .left), in: group)
    }

    private func muted(_ member: UserID, until: Timestamp?) -> Event {
        Event(MemberMuted(member, until: until), in: group)
    }

    private func blocked(_ member: UserID, _ isBlocked: Bool = true, in key: ConversationKey = group) -> Event {
        Event(MemberBlocked(member, isBlocked), in: key)
    }

    private func canSend(_ store: MessageStore, in key: ConversationKey = group) throws -> Bool {
        try store.read { try $0.canSend(in: key) }
    }

    private func blockedUsers(_ store: MessageStore) throws -> [UserID] {
        try store.read { try $0.blockedMembers(in: group) }
    }

    @Test("a mute has an end, is lifted, and ends with membership")
    func mutes() throws {
        try withTemporaryStore { store throws in
            try store.record(added("a", "b"), muted("a", until: ms(50)))
            #expect(try store.members().map(\.mutedUntil) == [ms(50), nil])
            try store.record(muted("a", until: nil), muted("b", until: .latest))
            #expect(try store.members().map(\.mutedUntil) == [nil, .latest])
            try store.record(removed("b"), added("b"))
            #expect(try store.members().map(\.mutedUntil) == [nil, nil])
        }
    }

    @Test("a blocked user need not be a member, and stays blocked after leaving")
    func blocks() throws {
        try withTemporaryStore { store throws in
            try store.record(added("a"), blocked("stranger"), blocked("a"), removed("a"))
            #expect(try store.members().isEmpty)
            #expect(try store.conversation()?.memberCount == 0)
            #expect(Set(try blockedUsers(store)) == ["a", "stranger"])
            #expect(try store.read { try $0.isBlocked("stranger", in: group) })
            #expect(try !store.read { try $0.isBlocked("stranger", in: peer) })
            try store.record(blocked("stranger", false))
            #expect(try blockedUsers(store) == ["a"])
            #expect(try !store.read { try $0.isBlocked("stranger", in: group) })
        }
    }

    @Test("B36: who left, was removed, or stands in no complete list cannot send; hints say nothing of who is missing")
    func membership() throws {
        try withTemporaryStore { store throws in
            let me = TemporaryStore.account
            #expect(try canSend(store))
            try store.record(added("a"))
            #expect(try canSend(store))
            try store.record(snapshot(members: ["a"]))
            #expect(try !canSend(store))
            try store.record(added(me))
            #expect(try canSend(store))
            try store.record(removed(me))
            #expect(try !canSend(store))
            try store.record(snapshot(members: [me, "a"]))
            #expect(try canSend(store))
            try store.record(Event(SelfKicked(), in: group))
            #expect(try !canSend(store))
            try store.record(Event(SelfInvited(), in: group))
            #expect(try canSend(store))
        }
    }

    @Test("B25, B36: being kicked from a conversation of which nothing was known is enough")
    func kickedFromUnknown() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), Event(SelfKicked(), in: group))
            #expect(try !canSend(store))
            #expect(try canSend(store, in: peer))
        }
    }

    @Test("B36, B43: two people and chat rooms need no member list; blocked or muted for good nobody can send")
    func kinds() throws {
        try withTemporaryStore { store throws in
            let me = TemporaryStore.account
            let room = ConversationKey(.chatRoom, "r")
            for key in [peer, room] {
                try store.record(snapshot(members: ["a"], in: key))
                #expect(try canSend(store, in: key))
                try store.record(blocked(me, in: key))
                #expect(try !canSend(store, in: key))
            }
            try store.record(muted(me, until: ms(50)))
            #expect(try canSend(store), "an end is the host's to compare with its clock")
            try store.record(muted(me, until: .latest))
            #expect(try !canSend(store))
        }
    }
}
