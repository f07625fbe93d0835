internal import ArgumentParser
internal import MessageStoreMigration

/// The forms of files that can be imported.
enum ImportFormat: String, ExpressibleByArgument, CaseIterable {
    case chatLog = "chat-log"
    case matrixSync = "matrix-sync"
    case events
    case sqlite
}

struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Record chat logs, Matrix sync responses or another app's database in a store, or make one of an exported log.",
        discussion: """
            Reads JSON lines, plain or gzip, in one of three formats, or a SQLite file; the store is created if it does \
            not exist:

            chat-log: a line is a message, a service event, a conversation or a person, in the form that \
            Docs/ChatLog.md describes.

            matrix-sync: a line is a response of a Matrix server to GET /_matrix/client/v3/sync, bare or as \
            {"name": …, "sync": …}; a file may also hold a single response on many lines. The responses are recorded \
            as one offline sync, a package each; --account is the Matrix user that asked for them, such as \
            @ann:example.org. What has no place in a store, such as typing and presence, is counted as skipped. \
            Docs/MatrixSync.md describes what is recorded.

            events: one file that `export` wrote, of a whole log or its beginning. The store must not exist; it gets the \
            same events, positions and times, and the digests are compared. Where anything is wrong no store is made. \
            Docs/ExportFormat.md describes the format.

            sqlite: a database that another app wrote, with --map, a JSON object of the SQL statements that read its \
            conversations and messages; it needs a build with the trait SQLite. The result is compared with what was \
            read. Docs/MovingIn.md describes the fields.

            Recording the same file again adds no message. A malformed line stops the import, with all lines before \
            it recorded; not so with an exported log. Where an import fails before anything is recorded, no new store \
            is left behind.
            """)

    @Argument(help: "The store's directory.")
    var store: String

    @Argument(help: "The files.")
    var files: [String]

    @Option(help: "What the files hold.")
    var format = ImportFormat.chatLog

    @Option(help: "The account whose store it is; an exported log knows it.")
    var account: String?

    @Option(help: "The file that maps the columns of a SQLite file to fields.")
    var map: String?

    @Option(help: "Events recorded in one commit, for chat logs and SQLite files.")
    var packageSize = 200

    @Flag(help: "Report malformed lines, or rows, and go on.")
    var skipBadLines = false

    @Flag(help: "Print the summary as JSON.")
    var json = false

    func validate() throws {
        guard (1...100_000).contains(packageSize) else { throw ValidationError("--package-size takes 1 to 100000") }
        guard !files.isEmpty else { throw ValidationError("name at least one file") }
        guard format == .events || account != nil else { throw ValidationError("--account is missing") }
        guard format != .events || (files.count == 1 && !skipBadLines) else {
            throw ValidationError("an exported log is one file, of which no line can be left out")
        }
        guard (format == .sqlite) == (map != nil), format != .sqlite || files.count == 1 else {
            throw ValidationError("a SQLite file is imported alone, with its --map")
        }
    }

    func run() throws {
        do {
            switch format {
            case .events: try importEvents(files[0])
            case .sqlite: try importRows(of: files[0])
            case .chatLog, .matrixSync: try importFiles()
            }
        } catch let error as ChatLogError where error.isOfUnknownFormat {
            throw ToolError.check("\(error); \(Self.formats)")
        }
    }

    private static let formats = """
        import reads JSON lines, plain or gzip: chat logs (Docs/ChatLog.md), sync responses of Matrix with \
        --format matrix-sync, and what `export` wrote with --format events
        """

    private func importEvents(_ file: String) throws {
        let events = try EventImport(file, to: store, account: account.map { UserID($0) })
        var line = ProgressLine(label: "importing", total: Int(clamping: events.file.header.last.rawValue))
        let summary = try events.run { line.update(done: $0) }
        line.finish()
        if json { return try JSON.print(summary) }
        summary.table.print()
    }

    private func importRows(of file: String) throws {
        #if SQLite
        let rows = try MigrationMap(path: map ?? "").rows(of: SQLiteFile(path: file))
        // Rows with a value that its field does not take.
        var badValues = 0
        func nextRow() throws -> OldRow? {
            while true {
                do { return try rows() } catch let error as MigrationMap.BadValue {
                    guard skipBadLines else { throw ToolError.check(error.words) }
                    badValues += 1
                    if badValues <= 100 { writeToStandardError(error.words.terminalSafe + "\n") }
                }
            }
        }
        let creation = try StoreCreation(path: store)
        var line = ProgressLine(label: "importing")
        let result = Result {
            let store = try MessageStore.open(
                store, account: UserID(account ?? ""), configuration: MessageStoreCommand.configuration)
            let result = Result {
                try store.migrate(
                    skippingInvalid: skipBadLines, packageSize: packageSize, progress: { line.update(done: $0) },
                    nextRow: nextRow)
            }.mapError { error in
                // A row breaks a rule.
                guard let error = error as? StoreError,
                    [.invalidArgument, .invalidTime, .tokenReused].contains(error.code)
                else { return error }
                return ToolError.check(error.words)
            }
            try Unfinished.close(store)
            return try result.get()
        }
        line.finish()
        if case .failure = result { creation.undo() }
        let report = try result.get()
        for problem in report.problems { writeToStandardError(problem.words.terminalSafe + "\n") }
        let output = MigrationOutput(report, badValues: badValues)
        if json { try JSON.print(output) } else { output.table.print() }
        if report.rows + badValues == 0 {
            throw ToolError.check("nothing to import: \(map ?? "") finds no row in \(file)")
        }
        if !report.isComplete || badValues > 0 {
            throw ToolError.check("the store differs from \(file), which should be kept")
        }
        #else
        throw ToolError.usage("this build cannot read SQLite files: build it with --traits Tool,SQLite")
        #endif
    }

    private func importFiles() throws {
        // Files that cannot be read are an error before a store is made for them.
        let makeImporter = try openFiles()
        // A whole log is no page of one: its messages are as unread as if they had come live.
        var configuration = MessageStoreCommand.configuration
        configuration.sync.countsHistoryAsUnread = true
        let creation = try StoreCreation(path: store)
        let summary: ImportSummary
        var failure: (any Error)?
        do {
            let store = try MessageStore.open(store, account: UserID(account ?? ""), configuration: configuration)
            (summary, failure) = try importFiles(to: store, makeImporter)
        } catch {
            creation.undo()
            throw error
        }
        if failure == nil, summary.isEmpty {
            let files = files.joined(separator: ", ")
            failure = ToolError.check("nothing to import: \(files) has no record; \(Self.formats)")
        }
        if failure != nil { creation.undo() }
        if failure == nil || !summary.isEmpty { try show(summary) }
        if let failure { throw failure }
    }

    /// Imports the files and closes the store; answers the work that was done, also by an import that failed.
    private func importFiles(
        to store: MessageStore, _ makeImporter: (MessageStore, ImportObserver) throws -> any FileImporter
    ) throws -> (ImportSummary, failure: (any Error)?) {
        var line = ProgressLine(label: "importing")
        let observer = ImportObserver(
            progress: { line.update(done: $0.records) },
            report: { writeToStandardError("\($0)".terminalSafe + "\n") })
        var importer: any FileImporter
        do { importer = try makeImporter(store, observer) } catch {
            try? store.close()
            throw error
        }
        let start = ContinuousClock.now
        var failure: (any Error)?
        do {
            try importer.importFiles()
        } catch {
            failure = error
        }
        do { try Unfinished.close(store) } catch let error as ToolError { failure = failure ?? error }
        line.finish()
        var summary = importer.tally.summary
        summary.seconds = NumberFormat.seconds(start.duration(to: .now))
        return (summary, failure)
    }

    private func openFiles() throws -> (MessageStore, ImportObserver) throws -> any FileImporter {
        switch format {
        case .chatLog:
            let files = try files.map { (path: $0, reader: try ChatLogReader(path: $0)) }
            return { store, observer in
                try ChatLogImporter(
                    store: store, packageSize: packageSize, skipsBadLines: skipBadLines, observer: observer,
                    files: files)
            }
        case .matrixSync:
            let readers = try files.map { try MatrixSyncReader(matrixSync: $0) }
            return { store, observer in
                try MatrixImporter(store: store, skipsBadLines: skipBadLines, observer: observer, readers: readers)
            }
        case .events, .sqlite: throw ToolError.usage("it is no file of lines")
        }
    }

    private func show(_ summary: ImportSummary) throws {
        if json { return try JSON.print(summary) }
        summary.table.print()
    }
}
