@_spi(Storage) import MessageStoreLog
import Testing

@Suite struct `Identifiers` {
    static let composed = UserID("\u{e9}")
    static let decomposed = UserID("e\u{301}")

    @Test func `they are compared and sorted byte for byte, and a kind may be written as its number`() {
        #expect(!(Self.composed == Self.decomposed))
        #expect(Self.composed != Self.decomposed)
        #expect(areEqual(Self.composed, Self.decomposed) == [false, true])
        #expect(Set([Self.composed, Self.decomposed, "\u{e9}"]).count == 2)
        #expect(!(ConversationKey.group("\u{e9}") == .group("e\u{301}")))
        #expect(ConversationKey.group("\u{e9}") != .group("e\u{301}"))
        #expect(ConversationKey(.group, "a", channel: "\u{e9}") != ConversationKey(.group, "a", channel: "e\u{301}"))
        let first = MembersAdded([Self.composed], kind: .joined)
        #expect(first != MembersAdded([Self.decomposed], kind: .joined))
        #expect(MessageReference.server("\u{e9}") != MessageReference.server("e\u{301}"))
        #expect(SelfKicked(by: Self.composed) != SelfKicked(by: Self.decomposed))
        let sorted: [UserID] = ["", "A", "Z", "a", "aa", "b", "e\u{301}", "\u{e9}", "消", "👋"]
        #expect(sorted.reversed().sorted() == sorted)
        #expect(ConversationKey("2:g") == .group("g"))
        #expect(ConversationKey("0:g") == .id("g"))
    }

    @Test func `d2: places are ordered by time, then by id, and one without an id stands behind all of its time`() {
        let times = [Timestamp(milliseconds: 1), Timestamp(milliseconds: 2)]
        let places = times.flatMap { time in
            [MessageOrder(time: time, id: "a"), MessageOrder(time: time, id: "b"), MessageOrder(time: time)]
        }
        #expect(places.reversed().sorted() == places)
    }

    @Test(
        arguments: [
            (.group("friends"), "group:friends"), (.single("bob"), "single:bob"), (.chatRoom("r"), "chatRoom:r"),
            (.system(""), "system:"), (ConversationKey(.group, "g", channel: "news"), "group:g#news"),
            (ConversationKey(ConversationKind(rawValue: 17), "desk", channel: ""), "17:desk#"),
            (.id("c1"), "unspecified:c1"), (.group("a:b #1 \\"), "group:a:b \\#1 \\\\"),
            (ConversationKey(.group, "a#", channel: "#b\\c:"), "group:a\\###b\\c:"),
            (.group("e\u{301}消\r\n"), "group:e\u{301}消\r\n"),
        ] as [(ConversationKey, String)])
    func `a conversation's description names it without loss`(key: ConversationKey, description: String) {
        #expect(key.description == description)
        #expect(ConversationKey(description) == key)
    }

    @Test(arguments: ["", "friends", "groups:g", ":g", "256:g", "-1:g", " group:g", "Group:g"])
    func `what is no conversation is not taken for one`(description: String) {
        #expect(ConversationKey(description) == nil)
    }

    private func areEqual<Value: Equatable>(_ first: Value, _ second: Value) -> [Bool] {
        [first == second, first != second]
    }
}
