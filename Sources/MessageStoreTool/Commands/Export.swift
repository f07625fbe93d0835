internal import ArgumentParser
internal import MessageStore

struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Write the log to standard output as JSON lines, from which `import --format events` makes the same log.",
        discussion: """
            A header, each event as `log --json --text` prints it, and a trailer with counts and digests; \
            Docs/ExportFormat.md describes them. Everything is in it, words of people as well.

            A part of the log can be looked at, for instance with jq, and not imported: only a log that begins with its \
            first event can.
            """)

    @Argument(help: "The store's directory.")
    var store: String

    @Option(parsing: .unconditional, help: "The first event: \(Moment.help).")
    var from: Moment?

    @Option(parsing: .unconditional, help: "The last event: \(Moment.help).")
    var to: Moment?

    @Flag(help: "Compress the output.")
    var gzip = false

    func run() throws {
        if gzip, Terminal.standardOutput.isInteractive {
            throw ToolError.usage("gzip data is not for a terminal: send it to a file, or leave --gzip out")
        }
        // Without the host's types its events are written as the log has them, whichever version wrote them.
        let store = try MessageStoreCommand.$configuration.withValue(.init()) {
            try StoreArguments.openReadOnly(self.store)
        }
        let end = try store.read { $0.position }
        let last = try to?.position(in: store) ?? end
        let first = try self.first(in: store)
        guard first.rawValue <= last.rawValue + 1 else {
            throw ToolError.usage("position \(first): the last event is to be \(last)")
        }
        let projections = first.rawValue == 1 ? try self.projections(of: store, at: last, end: end) : nil
        var writer = try LineWriter(isGzip: gzip)
        try writer.write(
            try JSON.line(
                ExportHeader(
                    account: store.account, first: first, last: last, descriptions: try store.eventDescriptions())))
        let digest = try writeEvents(of: store, from: first, to: last, &writer)
        let count = Int(last.rawValue + 1 - first.rawValue)
        try writer.write(
            try JSON.line(ExportTrailer(events: count, digest: digest.text, projections: projections)))
        try writer.finish()
    }

    private func first(in store: MessageStore) throws -> Position {
        switch from {
        case nil: return Position(1)
        case .time(let time):
            let before = Timestamp(milliseconds: max(time.milliseconds, 1) - 1)
            return Position(try store.lastPosition(recordedBy: before).rawValue + 1)
        case let moment?:
            let position = try moment.position(in: store)
            guard position > .origin else { throw ToolError.usage("positions begin at 1") }
            return position
        }
    }

    private func writeEvents(
        of store: MessageStore, from first: Position, to last: Position, _ writer: inout LineWriter
    ) throws -> LineDigest {
        var digest = LineDigest()
        guard first <= last else { return digest }
        var progress = ProgressLine(label: "exporting", total: Int(clamping: last.rawValue))
        try store.forEachEvent(from: first, to: last) { event in
            let line = try JSON.line(event)
            digest.add(line.utf8)
            try writer.write(line)
            progress.update(done: Int(clamping: event.position.rawValue))
            return true
        }
        progress.finish()
        return digest
    }

    private func projections(
        of store: MessageStore, at last: Position, end: Position
    ) throws -> [String: ExportTrailer.Projection] {
        let progress = ReplayProgressLine("replaying")
        defer { progress.finish() }
        let digests =
            last == end
            ? try store.read { views in views.position == end ? try views.snapshot.digests() : nil } : nil
        let versions = try store.read { try $0.projections() }
        let known = try digests ?? store.digests(at: last, progress: progress.update)
        return Dictionary(
            versions.compactMap { projection in
                known[projection.id].map {
                    (projection.id.rawValue, .init(version: projection.version, digest: hexadecimal($0)))
                }
            }, uniquingKeysWith: { first, _ in first })
    }
}
