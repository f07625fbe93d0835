import MessageStore
import Testing

@Suite("messagestore retain and what is starred", .tool, .timeLimit(.minutes(30)))
struct RetainMarkedTests {
    @Test("starred and pinned messages stay and are counted, and go where the option says so")
    func marked() throws {
        try place.importLines((1...9).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
        try place.write { store in
            let key = ConversationKey.group("c")
            try store.record([
                .read(in: key), Event(MessageStarred(.server("m1")), in: key),
                Event(MessagePinned(.server("m2")), in: key),
            ])
        }
        let dry = try place.run("retain", "--messages", "3", "--dry-run").succeeded().output
        #expect(dry.contains("2 messages stay for a star or a pin (see --also-marked)"), "\(dry)")
        let report = try place.run("retain", "--messages", "3", "--json").succeeded().object()
        #expect(report["keptAsMarked"] as? Int == 2 && report["messages"] as? Int == 4)
        #expect(try place.run("messages", "c").lines.count(where: { $0.contains("text") }) == 5)
        let all = try place.run("retain", "--messages", "3", "--also-marked", "--json").succeeded().object()
        #expect(all["keptAsMarked"] as? Int == 0 && all["messages"] as? Int == 2)
        try place.run("compact").succeeded()
        try place.run("verify").succeeded()
    }
}
