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
}
