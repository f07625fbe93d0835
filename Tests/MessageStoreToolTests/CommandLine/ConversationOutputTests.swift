import Foundation
import MessageStore
import MessageStoreLog
import Testing

@testable import MessageStoreTool

@Suite("A conversation as the tool prints it")
struct ConversationOutputTests {
    private func conversation(_ level: NotificationLevel, until: Timestamp? = nil) -> Conversation {
        Conversation(key: .group("g"), isPinned: true, notificationLevel: level, mutedUntil: until)
    }

    private func json(_ conversation: Conversation) throws -> String { try JSON.line(ConversationOutput(conversation)) }

    @Test("d43: the output says of which conversations only mentions notify, and until when")
    func levels() throws {
        let mentions = try json(conversation(.mentionsOnly, until: Timestamp(milliseconds: 5_000)))
        #expect(mentions.contains(#""notificationLevel":"mentionsOnly""#))
        #expect(mentions.contains(#""mutedUntil":5000"#))
        #expect(mentions.contains(#""muted":false"#))
        let muted = try json(conversation(.nothing))
        #expect(muted.contains(#""notificationLevel":"nothing""#) && muted.contains(#""muted":true"#))
        #expect(!muted.contains("mutedUntil"))
        for level in NotificationLevel.allCases {
            let table = Conversation.table([conversation(level)]).rendered()
            #expect(table.contains("^@") == (level == .mentionsOnly))
            #expect(table.contains("^-") == (level == .nothing))
        }
    }

    @Test("a boolean of a conversation has one name in JSON, conditions, `why` and their page, and lists show its mark")
    func flags() throws {
        let archived = Conversation(key: .group("g"), isArchived: true)
        #expect(try json(archived).contains(#""archived":true"#))
        #expect(try json(archived).contains(#""marks":["archived"]"#))
        for flag in ConversationBoolean.all {
            #expect(ConditionFunction.named(flag.name)?.form == "\(flag.name)(CONVERSATION)")
            #expect(flag.words == flag.words.lowercased())
        }
        let properties = Mirror(reflecting: Conversation(key: .group("g"))).children.compactMap(\.label)
        let fields = EventCatalog.conversationFlags.flatMap { $0.declaration.type.fields.map(\.name) }
        for name in fields where properties.contains(name) {
            let word = name.dropFirst(2).prefix(1).lowercased() + name.dropFirst(3)
            #expect(
                ConversationBoolean.all.contains { $0.name == word },
                "add \(word) to Sources/MessageStoreTool/Output/ConversationOutput.swift")
        }
        let file = DebuggingGuide.root.appendingPathComponent("Docs/Conditions.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let row = "| " + ConversationBoolean.all.map { "`\($0.name)`" }.joined(separator: ", ") + " of a"
        let isThere = page.contains(row)
        #expect(isThere, "Docs/Conditions.md, Terms, lacks the row that begins with \(row)")
    }

    @Test("X4: the output has the recorded kind next to that of the key, by which a conversation is named")
    func recordedKind() throws {
        let recorded = Conversation(key: .id("c1"), kind: .single)
        let json = try json(recorded)
        #expect(json.contains(#""kind":"unspecified""#) && json.contains(#""recordedKind":"single""#))
        let table = Conversation.table([recorded]).rendered()
        #expect(table.contains("single") && !table.contains("unspecified"))
        #expect(try !self.json(conversation(.all)).contains("recordedKind"))
    }
}
