internal import ArgumentParser
internal import MessageStore

struct Retain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Clear and erase messages by age, number, content type or the bytes that they take.",
        discussion: """
            The oldest messages of a conversation go first; unread messages, starred and pinned ones and unsent \
            ones stay. No answer has the cleared messages afterwards; 'compact' then removes their records from the \
            files. --freeing takes the oldest days of all conversations; 'compact' first, which removes free pages, may be \
            enough. With --freeing, or with --type, the files of the messages are listed; they are the app's, and stay.

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

    @Option(help: "Free so many bytes of the store and of files, such as 500MB or 1.5GB.")
    var freeing: ByteAmount?

    @Option(name: .customLong("type"), help: "Messages of this content type alone go; may be given more than once.")
    var types: [String] = []

    @Flag(help: "Unread messages go as well.")
    var alsoUnread = false

    @Flag(help: "Starred and pinned messages go as well.")
    var alsoMarked = false

    @Flag(help: "Change nothing.")
    var dryRun = false

    func validate() throws {
        guard days != nil || messages != nil || freeing != nil || !types.isEmpty else {
            throw ValidationError("give --days, --messages, --type or --freeing")
        }
        if freeing != nil, days != nil || messages != nil || !types.isEmpty || !conversation.isEmpty {
            throw ValidationError("--freeing chooses the messages, and goes with --dry-run alone")
        }
        if isPlan, messages != nil || lowWaterMark != nil || alsoUnread || alsoMarked {
            throw ValidationError("--type and --freeing go with --days, --conversation and --dry-run")
        }
        guard days.map({ (1...1_000_000).contains($0) }) ?? true else {
            throw ValidationError("--days is from 1 to 1,000,000")
        }
        guard messages.map({ $0 >= 1 }) ?? true else { throw ValidationError("--messages is at least 1") }
        guard lowWaterMark.map({ $0 >= 1 && $0 <= messages ?? 0 }) ?? true else {
            throw ValidationError("--low-water-mark is from 1 to the number of --messages")
        }
    }

    private var isPlan: Bool { freeing != nil || !types.isEmpty }

    func run() throws {
        if isPlan { return try runPlan() }
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

    /// Shows a plan, and records its events.
    private func runPlan() throws {
        let store = try arguments.openForWriting()
        let plan: CleanupPlan
        if let freeing {
            plan = try store.plan(freeing: freeing.bytes)
        } else {
            let now = MessageStoreCommand.configuration.now().milliseconds
            plan = try store.plan(
                olderThan: days.map { Timestamp(milliseconds: max(now - Int64($0) * 86_400_000, 0)) },
                types: Set(types.map { ContentType($0) }),
                conversations: conversation.isEmpty ? nil : conversation.map { try findConversation($0, in: store) })
        }
        try Unfinished.closing(store, arguments.json) {
            if !dryRun { try store.carryOut(plan) }
        }
        try store.close()
        let messages = plan.messages.ordered { $0.key.description < $1.key.description }
        if arguments.json {
            return try JSON.print(
                [
                    "messages": plan.messageCount, "done": !dryRun, "recordBytes": plan.recordBytes,
                    "storeBytes": plan.storeBytes, "asked": freeing?.bytes,
                    "fileBytes": plan.fileBytes, "files": plan.files.map(\.path),
                    "conversations": messages.map { ["conversation": $0.key, "messages": $0.value] as JSONObject },
                ] as JSONObject)
        }
        var text = TextTable(columns: ["CONVERSATION", .right("MESSAGES")])
        for (conversation, count) in messages { text.append([conversation.description, NumberFormat.count(count)]) }
        if !messages.isEmpty { text.print() }
        for file in plan.files { print((file.path ?? "a file of message \(file.message)").terminalSafe) }
        if !plan.files.isEmpty {
            let size = NumberFormat.bytes(UInt64(clamping: plan.fileBytes))
            print("\(NumberFormat.count(plan.files.count, "file", "files")) of \(size) for the app to remove")
        }
        let count = NumberFormat.count(plan.messageCount, "message", "messages")
        let size = NumberFormat.bytes(UInt64(clamping: plan.storeBytes))
        print(
            dryRun
                ? "\(count) would go, with some \(size) of the store"
                : "\(count) erased; 'messagestore compact' makes the store smaller by some \(size), besides its free pages"
        )
        if let freeing, plan.bytes < freeing.bytes {
            print("no more can go: unread messages and newer ones, starred, pinned and unsent ones stay")
        }
    }
}

/// A number of bytes, as `500MB` or `1.5GB`.
struct ByteAmount: ExpressibleByArgument {
    let bytes: Int

    init?(argument: String) {
        let units = ["kB": 1e3, "MB": 1e6, "GB": 1e9]
        let unit = units.first { argument.hasSuffix($0.key) }
        let digits = argument.dropLast(unit?.key.count ?? 0)
        guard digits.allSatisfy({ $0 == "." || ("0"..."9").contains($0) }), let number = Double(digits) else {
            return nil
        }
        let bytes = number * (unit?.value ?? 1)
        guard bytes >= 1, bytes < Double(Int.max) else { return nil }
        self.bytes = Int(bytes)
    }
}
