import MessageStore
import Testing

@Suite("Matrix: members of a room")
struct MatrixMemberTests {
    @Test("B25: membership events add and remove members, by whom they tell")
    func memberships() throws {
        let place = try MatrixPlace()
        let before = #","unsigned":{"prev_content":{"membership":"ban"}}"#
        try place.importing(
            response(
                join: room(
                    state: [member("$1", "@ann:here", "join"), member("$2", "@bob:here", "invite", by: "@ann:here")],
                    timeline: [
                        member("$3", "@cy:here", "join"), member("$4", "@cy:here", "leave", content: #","reason":"x""#),
                        member("$5", "@bob:here", "leave", by: "@ann:here"),
                        member("$6", "@dan:here", "ban", by: "@ann:here"),
                        member("$7", "@dan:here", "leave", by: "@ann:here"),
                        member("$8", "@eve:here", "leave", by: "@ann:here", extra: before),
                    ])))
        let (ann, bob, cy) = (UserID("@ann:here"), UserID("@bob:here"), UserID("@cy:here"))
        let (dan, eve) = (UserID("@dan:here"), UserID("@eve:here"))
        #expect(
            try place.bodies(.membersAdded, .membersRemoved, .memberBlocked) == [
                MembersAdded([ann], kind: .joined),
                MembersAdded([bob], kind: .invited, by: ann),
                MembersAdded([cy], kind: .joined),
                MembersRemoved([cy], kind: .left, reason: "x"),
                MembersRemoved([bob], kind: .kicked, by: ann),
                MembersRemoved([dan], kind: .kicked, by: ann),
                MemberBlocked(dan),
                MemberBlocked(dan, false),
                MemberBlocked(eve, false),
            ])
        #expect(try place.members().map(\.id) == [ann])
    }

    @Test("B25, B38: what happens to the account itself has events of its own")
    func account() throws {
        let place = try MatrixPlace()
        try place.importing(
            response("b1", join: room(timeline: [member("$1", "@me:here", "invite", by: "@ann:here")])),
            response("b2", join: room(timeline: [member("$2", "@me:here", "join")])),
            response("b3", leave: room(timeline: [member("$3", "@me:here", "leave", by: "@ann:here")])),
            response("b4", leave: room(timeline: [member("$4", "@me:here", "leave")])),
            response("b5", leave: room(timeline: [member("$5", "@me:here", "ban", by: "@ann:here")])))
        #expect(
            try place.bodies(.selfInvited, .selfKicked, .membersAdded, .membersRemoved, .memberBlocked) == [
                SelfInvited(by: "@ann:here"),
                MembersAdded(["@me:here"], kind: .joined),
                SelfKicked(by: "@ann:here"),
                MembersRemoved(["@me:here"], kind: .left),
                SelfKicked(by: "@ann:here"),
                MemberBlocked("@me:here"),
            ])
    }

    @Test("A5: a join tells name and picture; a change of them is no second join")
    func profiles() throws {
        let place = try MatrixPlace()
        let before = #","unsigned":{"prev_content":{"membership":"join","displayname":"Ann"}}"#
        try place.importing(
            response(
                join: room(
                    state: [
                        member("$1", "@ann:here", "join", content: #","displayname":"Ann","avatar_url":"mxc://a""#)
                    ],
                    timeline: [member("$2", "@ann:here", "join", content: #","displayname":null"#, extra: before)])))
        let ann = UserID("@ann:here")
        #expect(
            try place.bodies(.membersAdded, .profilesFetched, .memberInfoChanged) == [
                MembersAdded([ann], kind: .joined),
                ProfilesFetched([Profile(id: ann, name: "Ann", avatarURL: "mxc://a")]),
                MemberInfoChanged(ann, nickname: "Ann", at: Timestamp(milliseconds: 1000)),
                MemberInfoChanged(ann, nickname: "", at: Timestamp(milliseconds: 1000)),
            ])
    }

    @Test("power levels are roles; who is no longer named has the default")
    func roles() throws {
        let place = try MatrixPlace()
        let first = #"{"users":{"@ann:here":100,"@bob:here":-5,"@cy:here":50},"users_default":0}"#
        let second = #"{"users":{"@ann:here":9000},"users_default":7}"#
        let before = #","unsigned":{"prev_content":\#(first)}"#
        try place.importing(
            response(
                join: room(
                    state: [member("$1", "@ann:here", "join"), member("$2", "@bob:here", "join")],
                    timeline: [event("m.room.power_levels", "$3", first, stateKey: "")])))
        #expect(try place.members().map(\.role) == [100, 0])
        try place.importing(
            response(
                "b2", join: room(timeline: [event("m.room.power_levels", "$4", second, stateKey: "", extra: before)])))
        #expect(try place.members().map(\.role) == [255, 7])
    }
}
