import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("A conversation as the tool prints it")
struct ConversationOutputTests {
    private func output(_ level: NotificationLevel, until: Timestamp? = nil) -> ConversationOutput {
        ConversationOutput(
            Conversation(key: .group("g"), isPinned: true, notificationLevel: level, mutedUntil: until))
    }

    @Test("d43: the tool tells of which conversations mentions alone notify, and until when")
    func levels() throws {
        let mentions = try JSON.line(output(.mentionsOnly, until: Timestamp(milliseconds: 5_000)))
        #expect(mentions.contains(#""notificationLevel":"mentionsOnly""#))
        #expect(mentions.contains(#""mutedUntil":5000"#))
        #expect(mentions.contains(#""muted":false"#))
        let muted = try JSON.line(output(.nothing))
        #expect(muted.contains(#""notificationLevel":"nothing""#) && muted.contains(#""muted":true"#))
        #expect(!muted.contains("mutedUntil"))
        for level in NotificationLevel.allCases {
            let table = ConversationOutput.table([output(level)]).rendered()
            #expect(table.contains("^@") == (level == .mentionsOnly))
            #expect(table.contains("^-") == (level == .nothing))
        }
    }

    @Test("X4: the tool tells the kind that was told beside that of the key, by which a conversation is named")
    func toldKind() throws {
        let told = ConversationOutput(Conversation(key: .id("c1"), kind: .single))
        let json = try JSON.line(told)
        #expect(json.contains(#""kind":"unspecified""#) && json.contains(#""toldKind":"single""#))
        let table = ConversationOutput.table([told]).rendered()
        #expect(table.contains("single") && !table.contains("unspecified"))
        let untold = try JSON.line(output(.all))
        #expect(!untold.contains("toldKind"))
    }
}
