internal import ArgumentParser
internal import MessageStore

struct Messages: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a page of a conversation's messages, oldest first.",
        discussion: "An ANCHOR is a message's ID as listed, or its server id. Without one, the newest are shown.")

    @OptionGroup var views: ViewArguments

    @Argument(help: "The conversation: its id, kind:id or kind:id#channel.")
    var conversation: String

    @Option(help: "Show messages older than this one.")
    var before: String?

    @Option(help: "Show messages newer than this one.")
    var after: String?

    @Option(help: "The maximum number of messages, 1 to 1000.")
    var limit = 20

    @Flag(help: "Show all messages, or all after --after, whatever the limit.")
    var all = false

    @OptionGroup var damage: DamageArguments

    func validate() throws {
        guard before == nil || after == nil else { throw ValidationError("give --before or --after, not both") }
        guard before == nil || !all else { throw ValidationError("--all ends at the newest message: give no --before") }
    }

    func run() throws {
        let skipped = damage.skipped
        var rows: [MessageOutput] = []
        try views.read { views in
            let key = try findConversation(conversation, views)
            try forEachMessage(of: key, views, onDamage: skipped?.note) { message in
                let row = try MessageOutput(message, views)
                if self.views.arguments.json { try JSON.print(row) } else { rows.append(row) }
            }
        }
        if !views.arguments.json {
            let terminal = Terminal.standardOutput
            print(MessageOutput.table(rows, width: terminal.width).rendered(style: terminal.style), terminator: "")
        }
        try skipped?.finish()
    }

    private func forEachMessage(
        of key: ConversationKey, _ views: borrowing Views, onDamage: ((StoreError) throws -> Void)?,
        _ body: (Message) throws -> Void
    ) throws {
        guard all else {
            let part: TimelinePart =
                if let before { .before(anchor(before)) } else if let after { .after(anchor(after)) } else { .latest }
            return try views.timeline(of: key, part, limit: limit, onDamage: onDamage).messages.forEach(body)
        }
        // No id is empty, so this stands before the messages that have no time.
        let beginning = TimelineAnchor.order(MessageOrder(time: .unknown, id: ""))
        var page = try views.timeline(
            of: key, .after(after.map(anchor) ?? beginning), limit: Self.pageSize, onDamage: onDamage)
        try page.messages.forEach(body)
        while page.hasNewer {
            guard let last = page.messages.last else {
                throw ToolError.store("\(Self.pageSize) messages in a row are damaged; go on with --after")
            }
            page = try views.timeline(
                of: key, .after(.message(.local(last.id))), limit: Self.pageSize, onDamage: onDamage)
            try page.messages.forEach(body)
        }
    }

    private static let pageSize = 1000

    private func anchor(_ text: String) -> TimelineAnchor {
        guard let number = UInt64(text) else { return .message(.server(ServerMessageID(text))) }
        return .message(.local(LocalMessageID(number)))
    }
}
