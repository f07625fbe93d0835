internal import MessageStoreMigration

/// A report of a migration, as the tool shows it.
struct MigrationOutput: Encodable {
    let rows: Int
    let events: Int
    let conversations: Int
    let messages: Int
    let skippedRows: Int
    let differences: [MigratedConversation]

    init(_ report: MigrationReport, badValues: Int) {
        (rows, events, skippedRows) = (report.rows + badValues, report.events, report.skippedRows + badValues)
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
            var facts = "\(words), unread \(other.shownUnread) of \(other.unread)"
            if !other.isLastMessageShown { facts += ", another last message" }
            if other.conflicts > 0 { facts += ", \(NumberFormat.count(other.conflicts)) other rows under ids of rows" }
            table.append(["differs: \(other.key)", facts])
        }
        return table
    }
}
