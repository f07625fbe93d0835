internal import ArgumentParser
internal import MessageStore

struct Retain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Clear and erase messages by age and number.",
        discussion: """
            The oldest messages of a conversation go first; unread messages, starred and pinned ones and unsent \
            ones stay. No answer has the cleared messages afterwards; 'compact' then removes their records from the \
            files.

            Exits with 3 where the erasure is recorded and not finished, because the disk is full, say.
            """)

    @OptionGroup var arguments: StoreArguments

    @Option(parsing: .unconditional, help: "Messages that were sent more than so many days ago go.")
    var days: Int?

    @Option(parsing: .unconditional, help: "The maximum number of messages of a conversation.")
    var messages: Int?

    @Option(
        parsing: .unconditional,
        help: "How many messages are left if there were more; as many as --messages by default.")
    var lowWaterMark: Int?

    @Option(
        help:
            "A conversation: its id, kind:id, or a name that no other has; may be given more than once. Without one, all."
    )
    var conversation: [String] = []

    @Flag(help: "Unread messages go as well.")
    var alsoUnread = false

    @Flag(help: "Starred and pinned messages go as well.")
    var alsoMarked = false

    @Flag(help: "Change nothing.")
    var dryRun = false

    func validate() throws {
        guard days != nil || messages != nil else { throw ValidationError("give --days or --messages, or both") }
        guard days.map({ (1...1_000_000).contains($0) }) ?? true else {
            throw ValidationError("--days is from 1 to 1,000,000")
        }
        guard messages.map({ $0 >= 1 }) ?? true else { throw ValidationError("--messages is at least 1") }
        guard lowWaterMark.map({ $0 >= 1 && $0 <= messages ?? 0 }) ?? true else {
            throw ValidationError("--low-water-mark is from 1 to the number of --messages")
        }
    }

    func run() throws {
        let limits = RetentionPolicy.Limits(
            age: days.map { .seconds($0) * 86_400 }, messages: messages, lowWaterMark: lowWaterMark)
        let store = try arguments.openForWriting()
        var policy = RetentionPolicy()
        (policy.includesUnread, policy.includesMarked) = (alsoUnread, alsoMarked)
        if conversation.isEmpty { policy.standard = limits }
        for name in conversation { policy.conversations[try findConversation(name, in: store)] = limits }
        let report = try Unfinished.closing(store, arguments.json) { try store.retain(policy, isDryRun: dryRun) }
        try store.close()
        let cleared = report.messages.map { ($0.key.description, $0.value) }.sorted { $0 < $1 }
        if arguments.json {
            return try JSON.print(
                [
                    "messages": report.messageCount, "done": !dryRun, "keptAsUnread": report.keptAsUnread,
                    "keptAsMarked": report.keptAsMarked,
                    "conversations": cleared.map { ["conversation": $0.0, "messages": $0.1] as JSONObject },
                ] as JSONObject)
        }
        var text = TextTable(columns: ["CONVERSATION", .right("MESSAGES")])
        for (name, count) in cleared { text.append([name, NumberFormat.count(count)]) }
        if !cleared.isEmpty { text.print() }
        let count = NumberFormat.count(report.messageCount, "message", "messages")
        if report.keptAsUnread > 0 {
            let kept = NumberFormat.count(report.keptAsUnread, "more stays", "more stay")
            print("\(kept), because unread messages and newer ones do (see --also-unread)")
        }
        if report.keptAsMarked > 0 {
            let kept = NumberFormat.count(report.keptAsMarked, "message stays", "messages stay")
            print("\(kept) for a star or a pin (see --also-marked)")
        }
        print(dryRun ? "\(count) would go" : "\(count) cleared and erased; 'messagestore compact' removes the records")
    }
}
