internal import ArgumentParser

struct Conversations: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List conversations: pinned first, then by latest activity; archived ones last.",
        discussion: "Marks: \(ConversationBoolean.legend).")

    @OptionGroup var views: ViewArguments

    @Option(help: "Continue after this conversation of the list: its name, its id, kind:id or kind:id#channel.")
    var after: String?

    @Option(help: "The maximum number of conversations, 1 to 1000.")
    var limit = 50

    @Flag(help: "List all conversations, whatever the limit.")
    var all = false

    @Flag(help: "Show only names, unread counts and full ids, as other commands take them.")
    var ids = false

    func run() throws {
        var rows: [Conversation] = []
        try views.read { views in
            try forEachConversation(views) { conversation in
                guard self.views.arguments.json else { return rows.append(conversation) }
                try JSON.print(ConversationOutput(conversation))
            }
        }
        guard !views.arguments.json else { return }
        guard ids else { return Conversation.table(rows).print() }
        let table = Conversation.tableOfIDs(rows)
        print(table.rendered(style: Terminal.standardOutput.style), terminator: "")
    }

    private func forEachConversation(_ views: borrowing Views, _ body: (Conversation) throws -> Void) throws {
        guard Views.pageLimits.contains(limit) else { throw ToolError.usage("--limit takes 1 to 1000") }
        let start = try after.map { try findConversation($0, views) }
        var isBefore = start != nil
        var left = all ? Int.max : limit
        var cursor: PageCursor?
        repeat {
            let size = isBefore ? Views.pageLimits.upperBound : min(left, Views.pageLimits.upperBound)
            let page = try views.conversations(archived: .included, after: cursor, limit: size)
            for conversation in page.elements where left > 0 {
                if isBefore {
                    isBefore = conversation.key != start
                } else {
                    try body(conversation)
                    left -= 1
                }
            }
            cursor = page.next
        } while cursor != nil && left > 0
        if isBefore { throw ToolError.usage("the conversation \(after ?? "") is not in the list") }
    }
}
