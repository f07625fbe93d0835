import MessageStore
import MessageStoreTestKit
import Testing

/// Written from the chapters "接收消息处理建议" and "禁用消息排重机制".
@Suite("RongCloud: refreshing and repeats", .timeLimit(.minutes(30)))
struct RongCloudDuplicateTests {
    @Test(
        "D19, D20, D22: a resend under another UID is hidden where the check is on, which is set when the store is opened"
    )
    func resend() throws {
        let place = try TemporaryStore()
        for isChecked in [true, false] {
            let store = try place.open { $0.duplicateSuppression.inConversations = isChecked }
            let base: Int64 = isChecked ? 100_000 : 900_000
            try store.record(received("uid-1-\(isChecked)", at: base, text: "在吗？"))
            try store.record(received("uid-2-\(isChecked)", at: base + 2_000, text: "在吗？"))
            try store.close()
        }
        try place.withStore { store throws in
            #expect(try store.page().messages.map(\.serverID) == ["uid-1-true", "uid-1-false", "uid-2-false"])
            let logged = try store.events(where: EventFilter(types: [.messageDuplicateSuppressed]))
            #expect(logged.count == 1)
        }
    }

    @Test("D23: the check looks at the messages of a minute, however many the store holds", arguments: [10, 3_000])
    func cost(messages: Int) throws {
        try withTemporaryStore({ $0.duplicateSuppression.inConversations = true }) { store throws in
            try store.record((0..<messages).map { received("m\($0)", at: Int64($0) * 120_000 + 1, text: "same") })
            #expect(try store.unread().messages == messages, "two minutes apart they are no repeats")
            let last = Int64(messages - 1) * 120_000
            try store.record(received("again", at: last + 30_000, text: "same"))
            #expect(try store.unread().messages == messages)
        }
    }
}
