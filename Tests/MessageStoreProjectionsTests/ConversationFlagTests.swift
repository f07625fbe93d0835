@_spi(Storage) import MessageStoreLog
import Testing

@testable import MessageStoreProjections

@Suite("Flags of conversations")
struct ConversationFlagTests {
    @Test func `every event type that sets a flag is declared once, with a setting of its own`() {
        var types: [UInt16] = []
        for payload in EventCatalog.payloads where payload is any ConversationFlagEvent.Type {
            types.append(payload.declaration.type.rawValue)
        }
        var declared: [UInt16] = []
        for flag in ConversationFlag.all { declared.append(flag.event.declaration.type.rawValue) }
        #expect(types.count >= 3)
        #expect(declared.sorted() == types.sorted())
        #expect(Set(ConversationFlag.all.map { $0.setting.rawValue }).count == declared.count)
    }

    @Test func `queries and saved conditions know every flag of a row by a name`() {
        let known = ConversationProperty.named.compactMap(\.value.flag)
        for flag in ConversationFlag.all {
            guard let bit = flag.row else { continue }
            #expect(known.contains(bit), "ConversationCondition.swift lacks a property for \(flag.setting)")
        }
    }

    @Test func `the format names the setting of every flag`() throws {
        let row = try #require(try FormatTable.views().first { $0.table == "settingTimes" })
        for flag in ConversationFlag.all {
            let setting = "\(flag.setting.rawValue) \(flag.setting)"
            #expect(
                row.remarks.contains(try Regex("\\b\(setting)\\b")),
                "Docs/Format.md lacks \"\(setting)\" in the remarks of the table settingTimes")
        }
    }
}
