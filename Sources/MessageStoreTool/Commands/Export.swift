internal import ArgumentParser

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Write the log to standard output as JSON lines, from which `import --format events` makes the same log.",
        discussion: """
            The output is a header, each event as `log --json --text` prints it, and a trailer with counts and digests; \
            Docs/ExportFormat.md describes them. It contains everything, message text included. --no-text removes the text; \
            the digests stay the same, and so do names, ids, tags and reactions. --anonymise replaces those as well; \
            unread counts and all orders stay as they are.

            With --without and --edit the log is written as if some events had not been recorded, or with other values. \
            Each event that is left out becomes a RecordLost, so that positions and references to them stay valid.

            A part of the log can be read, for instance with jq, but not imported: only a log that begins with its \
            first event can be.
            """)

    @Argument(help: "The store's directory.")
    var store: String

    @OptionGroup var range: RangeArguments

    @OptionGroup var whatIf: WhatIfArguments

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
    }

    func run() throws {
        if gzip, Terminal.standardOutput.isInteractive {
            throw ToolError.usage("--gzip does not write to a terminal: redirect the output to a file")
        }
        // Without the host's types its events are written as the log has them, whichever version wrote them.
        let recorded = try MessageStoreCommand.$configuration.withValue(.init()) {
            try StoreArguments.openReadOnly(self.store)
        }
        let (first, last) = try range.positions(in: recorded)
        let edited = try whatIf.copy(of: recorded, to: last, .init())
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

    private func report(_ cut: [String: Int]) {
        let types = cut.ordered { $0.key < $1.key }.map { "\($0.key) \(NumberFormat.count($0.value))" }
        let text = types.isEmpty ? "no event had any" : types.joined(separator: ", ")
        writeToStandardError("messagestore: text removed: \(text)".terminalSafe + "\n")
    }
}
