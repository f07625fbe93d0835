internal import MessageStoreMigration

/// A report of a migration, as the tool shows it.
struct MigrationOutput: Encodable {
    struct Difference: Encodable {
        let conversation: String
        let messages: Int
        let shownMessages: Int
        let reportedMessages: Int?
        let isLastMessageShown: Bool
        let unread: Int
        let shownUnread: Int
    }

    let rows: Int
    let events: Int
    let conversations: Int
    let messages: Int
    let skippedRows: Int
    let problems: [String]
    let differences: [Difference]

    init(_ report: MigrationReport) {
        (rows, events, skippedRows) = (report.rows, report.events, report.skippedRows)
        conversations = report.conversations.count
        messages = report.conversations.reduce(0) { $0 + $1.messages }
        problems = report.problems.map(\.words)
        differences = report.differences.map {
            Difference(
                conversation: "\($0.key)", messages: $0.messages, shownMessages: $0.shownMessages,
                reportedMessages: $0.reportedMessages, isLastMessageShown: $0.isLastMessageShown, unread: $0.unread,
                shownUnread: $0.shownUnread)
        }
    }

    func show(asJSON: Bool) throws {
        if asJSON { return try JSON.print(self) }
        for problem in problems { writeToStandardError(problem.terminalSafe + "\n") }
        var table = TextTable(columns: ["IMPORTED", .right("COUNT")])
        table.append(["rows read", NumberFormat.count(rows)])
        table.append(["events recorded", NumberFormat.count(events)])
        table.append(["conversations", NumberFormat.count(conversations)])
        table.append(["messages", NumberFormat.count(messages)])
        if skippedRows > 0 { table.append(["bad rows skipped", NumberFormat.count(skippedRows)]) }
        table.print()
        guard !differences.isEmpty else { return }
        var others = TextTable(columns: ["DIFFERENT", .right("MESSAGES"), .right("UNREAD"), "LAST MESSAGE"])
        for difference in differences {
            let messages = "\(difference.shownMessages) of \(difference.reportedMessages ?? difference.messages)"
            let last = difference.isLastMessageShown ? "same" : "another"
            others.append([
                difference.conversation, messages, "\(difference.shownUnread) of \(difference.unread)", last,
            ])
        }
        others.print()
    }
}
