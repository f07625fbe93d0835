import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Written from the chapters "接收消息处理建议" and "禁用消息排重机制".
@Suite("RongCloud: refreshing and repeats", .timeLimit(.minutes(30)))
struct RongCloudDuplicateTests {

    @Test("D23: the check looks at the messages of a minute, however many the store holds", arguments: [10, 3_000])
    func cost(messages: Int) throws {
        try withTemporaryStore({ $0.sync.duplicateSuppression.inConversations = true }) { store throws in
            try store.record((0..<messages).map { received("m\($0)", at: Int64($0) * 120_000 + 1, text: "same") })
            #expect(try store.unread().messages == messages, "two minutes apart they are no repeats")
            let last = Int64(messages - 1) * 120_000
            try store.record(received("again", at: last + 30_000, text: "same"))
            #expect(try store.unread().messages == messages)
        }
    }
}
