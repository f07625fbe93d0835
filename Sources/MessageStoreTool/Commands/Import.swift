internal import ArgumentParser
internal import MessageStore

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record chat logs in a store, made where there is none.",
        discussion: """
            Reads JSON lines, plain or gzip, in the form that Docs/ChatLog.md describes. Recording the same file again \
            adds nothing. A malformed line stops the import, with all lines before it recorded.
            """)

    @Argument(help: "The store's directory.")
    var store: String

    @Argument(help: "The files.")
    var files: [String]

    @Option(help: "Whose store it is.")
    var account: String

    @Option(help: "Events recorded in one commit.")
    var packageSize = 200

    @Flag(help: "Report malformed lines and go on.")
    var skipBadLines = false

    @Flag(help: "Print the summary as JSON.")
    var json = false

    func validate() throws {
        guard (1...100_000).contains(packageSize) else { throw ValidationError("--package-size takes 1 to 100000") }
        guard !files.isEmpty else { throw ValidationError("name at least one file") }
    }

    func run() throws {
        // Files that cannot be read are an error before a store is made for them.
        var readers = try files.map { try ChatLogReader(path: $0) }[...]
        let store = try MessageStore.open(store, account: UserID(account))
        var line = ProgressLine(label: "importing")
        var importer = ChatLogImporter(
            store: store, packageSize: packageSize, skipsBadLines: skipBadLines,
            progress: { line.update(done: $0.records) },
            report: { writeToStandardError("\($0)".terminalSafe + "\n") })
        let start = ContinuousClock.now
        var failure: (any Error)?
        do {
            for file in files {
                // Each reader is handed over once.
                nonisolated(unsafe) let reader = readers.removeFirst()
                try importer.importFile(reader, file)
            }
        } catch {
            failure = error
        }
        try store.close()
        line.finish()
        var summary = importer.summary
        summary.seconds = NumberFormat.seconds(start.duration(to: .now))
        try show(summary)
        if let failure { throw failure }
    }

    private func show(_ summary: ChatLogImporter.Summary) throws {
        if json { return try JSON.print(summary) }
        var table = TextTable(columns: [.init(header: "IMPORTED"), .init(header: "COUNT", alignment: .right)])
        table.append(["records read", NumberFormat.count(summary.records)])
        table.append(["events recorded", NumberFormat.count(summary.events)])
        table.append(["messages among them", NumberFormat.count(summary.messages)])
        table.append(["known already", NumberFormat.count(summary.duplicates)])
        table.append(["conversations", NumberFormat.count(summary.conversations)])
        if summary.badLines > 0 { table.append(["bad lines skipped", NumberFormat.count(summary.badLines)]) }
        table.append(["time", NumberFormat.duration(.seconds(summary.seconds))])
        table.append(["rate", NumberFormat.rate(summary.records, over: .seconds(summary.seconds))])
        print(table.rendered(style: Terminal.standardOutput.style), terminator: "")
    }
}
