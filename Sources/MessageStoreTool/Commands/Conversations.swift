internal import ArgumentParser
internal import MessageStore

struct Conversations: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List conversations: pinned first, then by latest activity; the archive last.",
        discussion: "Marks: ^ pinned, - muted, @ mentions alone notify, a in the archive.")

    @OptionGroup var views: ViewArguments

    @Option(help: "Go on after this conversation of the list: its name, its id, kind:id or kind:id#channel.")
    var after: String?

    @Option(help: "The maximum number of conversations, 1 to 1000.")
    var limit = 50

    @Flag(help: "List to the end, whatever the limit.")
    var all = false

    @Flag(help: "Show ids as other commands take them, in full, with names and unread counts alone.")
    var ids = false

    func run() throws {
        var rows: [ConversationOutput] = []
        try views.read { views in
            try forEachConversation(views) { conversation in
                let row = ConversationOutput(conversation)
                if self.views.arguments.json { try JSON.print(row) } else { rows.append(row) }
            }
        }
        guard !views.arguments.json else { return }
        guard ids else { return ConversationOutput.table(rows).print() }
        let table = ConversationOutput.tableOfIDs(rows)
        print(table.rendered(style: Terminal.standardOutput.style), terminator: "")
    }

    private func forEachConversation(_ views: borrowing Views, _ body: (Conversation) throws -> Void) throws {
        guard Views.pageLimits.contains(limit) else { throw ToolError.usage("--limit takes 1 to 1000") }
        let start = try after.map { try findConversation($0, views) }
        var isBefore = start != nil
        var left = all ? Int.max : limit
        var cursor: ConversationCursor?
        repeat {
            let size = isBefore ? Views.pageLimits.upperBound : min(left, Views.pageLimits.upperBound)
            let page = try views.conversations(archived: .included, after: cursor, limit: size)
            for conversation in page.conversations where left > 0 {
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
