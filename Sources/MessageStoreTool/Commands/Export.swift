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
            let cut = try write(store, from: first, to: last)
            if noText { report(cut) }
            return
        }
        let days: Int64 = 1_000
        let shift = shiftTimes ? Int64.random(in: 1...days * 86_400_000) : 0
        let copy = try AnonymousCopy(of: store, to: last, shift: shift)
        defer { copy.remove() }
        _ = try write(copy.store, from: first, to: last, cut: copy.cut)
        report(copy.cut)
        writeToStandardError("messagestore: strings replaced: \(NumberFormat.count(copy.strings))\n")
    }

    /// Writes the whole file; returns how many events of each type lost their content, here or before.
    private func write(
        _ store: MessageStore, from first: Position, to last: Position, cut before: [String: Int]? = nil
    ) throws -> [String: Int] {
        let projections = first.rawValue == 1 ? try self.projections(of: store, at: last) : nil
        let descriptions = try store.eventDescriptions()
        let writer = try LineWriter(isGzip: gzip)
        let header = ExportHeader(
            account: store.account, first: first, last: last, base: try store.replayStart(), descriptions: descriptions)
        try writer.write(try JSON.line(header))
        var lines = EventLines(writer)
        let cut = try write(store, from: first, to: last, to: &lines)
        let trailer = ExportTrailer(
            events: lines.count, digest: lines.digest.text, projections: projections,
            withoutText: noText || anonymise ? before ?? cut : nil)
        try writer.write(try JSON.line(trailer))
        try writer.finish()
        return before ?? cut
    }

    /// Writes the events; returns how many of each type lost their content.
    private func write(
        _ store: MessageStore, from first: Position, to last: Position, to lines: inout EventLines
    ) throws -> [String: Int] {
        var cut: [String: Int] = [:]
        guard first <= last else { return cut }
        let hosts = HostEvents(try store.eventDescriptions())
        var progress = ProgressLine(label: "exporting", total: Int(clamping: last.rawValue))
        func write(_ event: RecordedEvent) throws {
            try lines.add(event)
            progress.update(done: Int(clamping: event.position.rawValue))
        }
        do {
            if noText {
                try store.forEachRedactedEvent(from: first, to: last) { event, isCut in
                    if isCut { cut[hosts.typeName(of: event), default: 0] += 1 }
                    try write(event)
                }
            } else {
                try store.forEachEvent(from: first, to: last) { event in
                    try write(event)
                    return true
                }
            }
        } catch {
            // The events up to a damaged one are of use without the others.
            try lines.finish()
            throw error
        }
        try lines.finish()
        progress.finish()
        return cut
    }

    private func report(_ cut: [String: Int]) {
        let types = cut.ordered { $0.key < $1.key }.map { "\($0.key) \(NumberFormat.count($0.value))" }
        let text = types.isEmpty ? "no event had any" : types.joined(separator: ", ")
        writeToStandardError("messagestore: text removed: \(text)".terminalSafe + "\n")
    }

    private func projections(
        of store: MessageStore, at last: Position
    ) throws -> [String: ExportTrailer.Projection] {
        let digests = try store.read { views in views.position == last ? try views.snapshot.digests() : nil }
        let versions = try store.read { try ViewDiagnostics.projections(in: $0) }
        let known = try digests ?? withProgress("replaying") { try store.digests(at: last, progress: $0) }
        return Dictionary(
            versions.compactMap { projection in
                known[projection.id].map {
                    (projection.id.rawValue, .init(version: projection.version, digest: $0.hexadecimal()))
                }
            }, uniquingKeysWith: { first, _ in first })
    }
}
