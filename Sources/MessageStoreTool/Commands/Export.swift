internal import ArgumentParser
internal import Foundation
internal import MessageStoreLMDB

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Write the log to standard output as JSON lines, from which `import --format events` makes the same log, or what is shown.",
        discussion: """
            The output is a header, each event as `log --json --text` prints it, and a trailer with counts and digests; \
            Docs/ExportFormat.md describes them. It contains everything, message text included. --no-text removes the text; \
            the digests stay the same, and so do names, ids, tags and reactions. --anonymise replaces those as well; \
            unread counts and all orders stay as they are.

            With --without and --edit the log is written as if some events had not been recorded, or with other values. \
            Each event that is left out becomes a RecordLost, so that positions and references to them stay valid.

            A part of the log can be read, for instance with jq, but not imported: only a log that begins with its \
            first event can be.

            With --messages, --html or --sqlite, what is shown is written in place of the log: every \
            conversation of the list, and the others that show messages, with its messages. Words that were recalled, \
            deleted, cleared or erased are not there.
            """)

    @Argument(help: "The store's directory.")
    var store: String

    @OptionGroup var range: RangeArguments

    @OptionGroup var whatIf: WhatIfArguments

    @Flag(help: "Write what is shown, as JSON lines: each conversation, then its messages.")
    var messages = false

    @Option(help: .init("Write what is shown as pages for a browser, into a new directory.", valueName: "directory"))
    var html: String?

    @Option(help: .init("Write what is shown as an SQLite database, into a new file.", valueName: "file"))
    var sqlite: String?

    @Option(
        help: """
            With --messages, --html or --sqlite: only this conversation, by its name, its id or kind:id; may be given more \
            than once.
            """)
    var conversation: [String] = []

    @Flag(help: "Remove message text, as if every event were redacted; names and ids stay.")
    var noText = false

    @Flag(
        help:
            "Remove message text, and replace ids, names and all other strings; counts stay as they are."
    )
    var anonymise = false

    @Flag(
        help:
            "With --anonymise: move all times later by one secret duration of up to 1,000 days."
    )
    var shiftTimes = false

    @Flag(help: "Compress the output.")
    var gzip = false

    func validate() throws {
        if shiftTimes, !anonymise { throw ValidationError("--shift-times needs --anonymise") }
        let forms = [(messages, "--messages"), (html != nil, "--html"), (sqlite != nil, "--sqlite")].filter(\.0).map(
            \.1)
        guard forms.count < 2 else { throw ValidationError("give one of \(forms.joined(separator: " and "))") }
        guard let form = forms.first else {
            if conversation.isEmpty { return }
            throw ValidationError("--conversation needs --messages, --html or --sqlite")
        }
        let others = [
            (range.from != nil, "--from"), (anonymise, "--anonymise"), (noText && sqlite == nil, "--no-text"),
            (gzip && !messages, "--gzip"),
        ]
        if let other = others.first(where: \.0)?.1 {
            throw ValidationError("\(other) does not go with \(form), which writes what is shown at one moment")
        }
    }

    func run() throws {
        if gzip, Terminal.standardOutput.isInteractive {
            throw ToolError.usage("--gzip does not write to a terminal: redirect the output to a file")
        }
        guard !messages, html == nil, sqlite == nil else { return try writeShown() }
        // Without the host's types its events are written as the log has them, whichever version wrote them.
        var configuration = MessageStore.Configuration()
        configuration.privacy.key = MessageStoreCommand.key
        let recorded = try MessageStoreCommand.$configuration.withValue(configuration) {
            try StoreArguments.openReadOnly(self.store)
        }
        let (first, last) = try range.positions(in: recorded)
        let edited = try whatIf.copy(of: recorded, to: last, configuration)
        defer { edited?.remove() }
        let store = edited?.store ?? recorded
        guard anonymise else {
            let cut = try ExportedLog(removesText: noText, isGzip: gzip).write(store, from: first, to: last)
            if noText { report(cut) }
            return
        }
        let days: Int64 = 1_000
        let shift = shiftTimes ? Int64.random(in: 1...days * 86_400_000) : 0
        let copy = try AnonymousCopy(of: store, to: last, shift: shift)
        defer { copy.remove() }
        _ = try ExportedLog(isGzip: gzip).write(copy.store, from: first, to: last, cut: copy.cut)
        report(copy.cut)
        writeToStandardError("messagestore: strings replaced: \(NumberFormat.count(copy.strings))\n")
    }

    private func writeShown() throws {
        #if !SQLite
        if sqlite != nil {
            throw ToolError.usage("this build does not write SQLite: build it with --traits Tool,SQLite")
        }
        #endif
        let store = try StoreArguments.openReadOnly(self.store)
        try ViewArguments.read(store, at: range.to, whatIf) { views in
            let shown = try ShownMessages(conversation, of: store.account, views)
            Interruption.beginNoting()
            defer { Interruption.endNoting() }
            guard let path = html ?? sqlite else { return try shown.writeLines(views, isGzip: gzip) }
            try create(path) { output in
                #if SQLite
                if sqlite != nil {
                    var database = try MessageDatabase(shown, omitsText: noText, at: output)
                    return try database.write(views)
                }
                #endif
                var pages = MessagePages(shown, in: output)
                try pages.write(views)
            }
            let messages = NumberFormat.count(shown.messages, "message", "messages")
            let conversations = NumberFormat.count(shown.conversations, "conversation", "conversations")
            print("\(messages) of \(conversations) in \(path)".terminalSafe)
        }
    }

    /// Makes a file or a directory under a name that says that it is incomplete, and moves it to its path at the end.
    private func create(_ path: String, _ body: (String) throws -> Void) throws {
        let path = FileSystem.withoutTrailingSlashes(path)
        guard !path.isEmpty else { throw ToolError.usage("the path of the export is empty") }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().resolvingSymlinksInPath().path
        guard try FileSystem.status(of: parent)?.kind == .directory else {
            throw ToolError.usage("there is no directory \(parent)")
        }
        let store = URL(fileURLWithPath: store).resolvingSymlinksInPath().path
        guard parent != store, !parent.hasPrefix(store + "/") else {
            throw ToolError.usage("an export into the store's directory is refused")
        }
        try StoreError.translating {
            let status = try FileSystem.status(of: path)
            let isEmpty = try status?.kind == .directory && FileSystem.names(in: path, limit: 1).isEmpty
            guard status == nil || html != nil && isEmpty else {
                throw ToolError.usage("something is at \(path) already")
            }
            let number = String(UInt64.random(in: .min ... .max), radix: 16)
            try FileSystem.put(at: path, through: "\(path).exporting-\(number)", body)
        }
    }

    private func report(_ cut: [String: Int]) {
        let types = cut.ordered { $0.key < $1.key }.map { "\($0.key) \(NumberFormat.count($0.value))" }
        let text = types.isEmpty ? "no event had any" : types.joined(separator: ", ")
        writeToStandardError("messagestore: text removed: \(text)".terminalSafe + "\n")
    }
}
