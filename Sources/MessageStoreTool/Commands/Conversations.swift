internal import ArgumentParser
internal import MessageStore

struct Conversations: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List conversations: pinned first, then by latest activity.")

    @OptionGroup var arguments: StoreArguments

    @Option(help: "The maximum number of conversations, 1 to 1000.")
    var limit = 50

    func run() throws {
        let store = try arguments.openReadOnly()
        let rows = try store.read { try $0.conversations(limit: limit).conversations.map { ConversationOutput($0) } }
        if arguments.json {
            for row in rows { try JSON.print(row) }
        } else {
            let terminal = Terminal.standardOutput
            print(ConversationOutput.table(rows, width: terminal.width).rendered(style: terminal.style), terminator: "")
        }
    }
}

struct Messages: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a page of a conversation's messages, oldest first.",
        discussion: "An ANCHOR is a message's ID as listed, or its server id. Without one, the newest are shown.")

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "The conversation: its id, kind:id or kind:id#channel.")
    var conversation: String

    @Option(help: "Show messages older than this one.")
    var before: String?

    @Option(help: "Show messages newer than this one.")
    var after: String?

    @Option(help: "The maximum number of messages, 1 to 1000.")
    var limit = 20

    @OptionGroup var damage: DamageArguments

    func validate() throws {
        guard before == nil || after == nil else { throw ValidationError("give --before or --after, not both") }
    }

    func run() throws {
        let store = try arguments.openReadOnly()
        let skipped = damage.skipped
        let rows = try store.read { views in
            let key = try findConversation(conversation, views)
            let part: TimelinePart =
                if let before { .before(try anchor(before)) } else if let after { .after(try anchor(after)) } else {
                    .latest
                }
            return try views.timeline(of: key, part, limit: limit, onDamage: skipped?.note).messages.map {
                try MessageOutput($0, views)
            }
        }
        if arguments.json {
            for row in rows { try JSON.print(row) }
        } else {
            let terminal = Terminal.standardOutput
            print(MessageOutput.table(rows, width: terminal.width).rendered(style: terminal.style), terminator: "")
        }
        try skipped?.finish()
    }

    private func anchor(_ text: String) throws -> TimelineAnchor {
        guard let number = UInt64(text) else { return .message(.server(ServerMessageID(text))) }
        return .message(.local(LocalMessageID(number)))
    }
}
