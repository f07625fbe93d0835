import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore diff", .tool, .timeLimit(.minutes(30)))
struct DiffCommandTests {
    init() throws {
        let key = ConversationKey.group("群")
        try place.record([
            .received("a", from: "bob", in: key, at: Timestamp(milliseconds: 5), content: .text("secret words")),
            .received("b", from: "bob", in: key, at: Timestamp(milliseconds: 6), content: .text("more")),
            Event(ConversationRead(), in: key), Event(OfflineSyncCompleted()),
        ])
    }

    private func lines(_ arguments: [String]) throws -> [String] {
        let run = try place.run(["diff"], arguments).succeeded()
        #expect(!run.output.contains("secret"))
        return run.output.split(separator: "\n").map(String.init)
    }

    @Test("one event, and all between two moments: what changed, in words and as JSON")
    func twoMoments() throws {
        #expect(try lines(["2", "2"]) == ["From 2 to 2: 0 rows changed."])
        let all = try lines(["--", "0", "-1"])
        #expect(all.first?.hasPrefix("From 0 to 4: ") == true)
        let rows = try lines(["--projection", "UnreadCounters", "--", "0", "-1"])
        #expect(rows.contains("UnreadCounters") && !rows.contains("Messages"))
        #expect(try lines(["--limit", "1", "--", "0", "-1"]).last?.hasSuffix("more; --limit shows them.") == true)
        let text = try lines(["2"])
        #expect(text.first?.hasPrefix("From 1 to 2: ") == true)
        let unread = try #require(text.firstIndex { $0.contains("unread conversation=group:群") })
        #expect(text[unread...].contains("    count: 1 -> 2"))
        #expect(try lines(["1"]).contains { $0.contains("unread conversation=group:群 (new)") })
        let changed = try lines(["2", "--json"]).map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let row = try #require(changed.first { $0["table"] as? String == "unread" })
        let parts = try #require(row["parts"] as? [[String: String]])
        #expect(parts.contains(["name": "count", "before": "1", "after": "2"]))
    }
}
