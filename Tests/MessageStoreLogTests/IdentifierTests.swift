@_spi(Storage) import MessageStoreLog
import Testing

@Suite struct `Identifiers` {
    static let composed = UserID("\u{e9}")
    static let decomposed = UserID("e\u{301}")

    @Test func `they are compared byte for byte`() {
        #expect(!(Self.composed == Self.decomposed))
        #expect(Self.composed != Self.decomposed)
        #expect(areEqual(Self.composed, Self.decomposed) == [false, true])
        #expect(Set([Self.composed, Self.decomposed, "\u{e9}"]).count == 2)
        #expect(!(ConversationKey.group("\u{e9}") == .group("e\u{301}")))
        #expect(ConversationKey.group("\u{e9}") != .group("e\u{301}"))
        #expect(ConversationKey(.group, "a", channel: "\u{e9}") != ConversationKey(.group, "a", channel: "e\u{301}"))
    }

    @Test func `events that name them differ as well`() {
        let first = MembersAdded([Self.composed], kind: .joined)
        #expect(first != MembersAdded([Self.decomposed], kind: .joined))
        #expect(MessageReference.server("\u{e9}") != MessageReference.server("e\u{301}"))
        #expect(SelfKicked(by: Self.composed) != SelfKicked(by: Self.decomposed))
    }

    @Test func `their order is that of their bytes`() {
        let sorted: [UserID] = ["", "A", "Z", "a", "aa", "b", "e\u{301}", "\u{e9}", "消", "👋"]
        #expect(sorted.reversed().sorted() == sorted)
    }

    private func areEqual<Value: Equatable>(_ first: Value, _ second: Value) -> [Bool] {
        [first == second, first != second]
    }
}
