/// The result of an import, also of one that stopped early.
struct ImportSummary: Encodable, Equatable {
    var records = 0
    var events = 0
    var messages = 0
    var duplicates = 0
    var conversations = 0
    var badLines = 0
    /// Halves of characters that became U+FFFD.
    var replaced = 0
    /// Names and members that are older than those that the store had.
    var older = 0
    /// How much of a sync response was not recorded, by reason; nil for chat logs.
    var skipped: [String: Int]?
    var seconds = 0.0

    /// Whether there was nothing to record.
    var isEmpty: Bool { records == 0 && events == 0 && (skipped ?? [:]).isEmpty }

    var table: TextTable {
        var table = TextTable(columns: ["IMPORTED", .right("COUNT")])
        table.append(["records read", NumberFormat.count(records)])
        table.append(["events recorded", NumberFormat.count(events)])
        table.append(["messages among them", NumberFormat.count(messages)])
        table.append(["known already", NumberFormat.count(duplicates)])
        table.append(["conversations", NumberFormat.count(conversations)])
        if badLines > 0 { table.append(["bad lines skipped", NumberFormat.count(badLines)]) }
        if replaced > 0 { table.append(["halves of characters replaced", NumberFormat.count(replaced)]) }
        if older > 0 { table.append(["older than the store", NumberFormat.count(older)]) }
        for (reason, count) in (skipped ?? [:]).ordered(by: { $0.key < $1.key }) {
            table.append(["skipped: \(reason)", NumberFormat.count(count)])
        }
        table.append(["time", NumberFormat.duration(.seconds(seconds))])
        table.append(["rate", NumberFormat.rate(records, over: .seconds(seconds))])
        return table
    }
}
