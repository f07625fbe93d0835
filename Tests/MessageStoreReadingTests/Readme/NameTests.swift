import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Types of a host, with the names of the library's.
private struct Message: Equatable { let text: String? }
private struct Event {}

@Suite("README: names that a host has as well")
struct NameTests {
    @Test("a module tells them apart")
    func selectors() {
        let stored: MessageStore::Message = MessageStoreProjections.Message(
            id: LocalMessageID(1), conversation: group, sender: "bob", time: ms(1), content: .text("hello"))
        let event: MessageStore::Event = MessageStoreLog.Event.read(in: group)
        #expect(Message(text: stored.text) == Message(text: "hello"))
        #expect(event.type == .conversationRead)
    }
}
