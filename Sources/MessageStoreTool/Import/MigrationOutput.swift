internal import MessageStoreMigration

/// A report of a migration, as the tool shows it.
struct MigrationOutput: Encodable {
    let rows: Int
    let events: Int
    let conversations: Int
    let messages: Int
    let skippedRows: Int
    let differences: [MigratedConversation]

    init(_ report: MigrationReport) {
        (rows, events, skippedRows) = (report.rows, report.events, report.skippedRows)
        (conversations, differences) = (report.conversations.count, report.differences)
        messages = report.conversations.reduce(0) { $0 + $1.messages }
    }

    var table: TextTable {
        var table = TextTable(columns: ["IMPORTED", .right("COUNT")])
        let counts = [
            ("rows read", rows), ("events recorded", events), ("conversations", conversations), ("messages", messages),
            ("bad rows skipped", skippedRows),
        ]
        for (name, count) in counts { table.append([name, NumberFormat.count(count)]) }
        for other in differences {
            let words = "\(other.shownMessages) of \(other.reportedMessages ?? other.messages)"
            let last = other.isLastMessageShown ? "" : ", another last message"
            table.append(["differs: \(other.key)", "\(words), unread \(other.shownUnread) of \(other.unread)\(last)"])
        }
        return table
    }
}
